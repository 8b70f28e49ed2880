import{Dialog}from"./chunk.FYMJ2TNW.js";import{ApiError,Loading,Refused,S,U,i,isAbort,w,words}from"./chunk.QMEWQLJE.js";var nothing={data:null,after:null,more:!1,error:null,nextError:null};function useList(ask,on){let[held,setHeld]=w({...nothing,busy:!0}),[turn,setTurn]=w(0),asked=U(
ask);asked.current=ask;let abort=U(null),answered=U(""),question=JSON.stringify(on),read=after=>{abort.current?.abort();let control=abort.current=new AbortController;
setHeld(old=>({...old,busy:!0})),asked.current(after,control.signal).then(page=>{control.signal.aborted||(answered.current=question,setHeld(old=>({data:after===
null?page.data:unique([...old.data??[],...page.data]),after:page.last_id,more:page.has_more,error:null,nextError:null,busy:!1})))},error=>{if(control.signal.aborted||
isAbort(error))return;let failed=asApiError(error);setHeld(after!==null?old=>({...old,nextError:failed,busy:!1}):old=>({...answered.current===question?old:nothing,
error:failed,busy:!1}))})};return S(()=>(read(null),()=>abort.current?.abort()),[question,turn]),{data:held.data,error:held.error,nextError:held.nextError,busy:held.
busy,more:held.more,next:()=>read(held.after),reload:()=>setTurn(old=>old+1),set:data=>setHeld(old=>{let gone=old.data?.some(row=>row.id===old.after)&&!data.some(
row=>row.id===old.after);return{...old,data,after:gone?data.at(-1)?.id??null:old.after}})}}function unique(rows){return[...new Map(rows.map(row=>[row.id,row])).
values()]}function asApiError(error){return error instanceof ApiError?error:new ApiError(0,String(error))}function More({of}){return of.data===null?null:of.busy?
i(Loading,{}):of.nextError?i(Refused,{error:of.nextError,retry:of.next}):of.more?i("button",{type:"button",class:"more",onClick:of.next,children:words.state.more}):
null}function useAction(){let[busy,setBusy]=w(!1),[error,setError]=w(null),there=U(!0);return S(()=>()=>{there.current=!1},[]),{busy,error,run:work=>{setBusy(!0),setError(
null),work().catch(failure=>there.current&&setError(asApiError(failure))).finally(()=>there.current&&setBusy(!1))},clear:()=>setError(null)}}function FormDialog({
title,submit,danger,disabled,onSubmit,onClose,children}){let action=useAction();return i(Dialog,{title,onClose,children:i("form",{onSubmit:event=>{event.preventDefault(),
!disabled&&!action.busy&&action.run(onSubmit)},children:[children,action.error&&i(Refused,{error:action.error}),i("footer",{children:[i("button",{type:"button",
onClick:onClose,children:words.actions.cancel}),i("button",{class:danger?"danger":"primary",disabled:disabled||action.busy,children:submit})]})]})})}export{useList,asApiError,More,useAction,FormDialog};
