import{useLive}from"./chunk.E77KIYKV.js";import"./chunk.4GYXU4L6.js";import{Changes}from"./chunk.FOXKRY3W.js";import{Tabs}from"./chunk.2WOFV63C.js";
import"./chunk.2GJ4U3AR.js";import"./chunk.HV6AWK6K.js";import{go,href,may,route}from"./chunk.EV7FTPOP.js";import{asApiError}from"./chunk.7L7ZIUJW.js";
import"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";import{$,Icon,Refused,S,U,call,get,i,query,w,words}from"./chunk.QMEWQLJE.js";
import"./chunk.NTAP2V3D.js";var PAGE=30,PINNED=50,PAUSE=2e3,TITLED=5e3,list=parameters=>get(`/v1/conversations${query(parameters)}`);async function read(){let[pinned,recent]=await Promise.
all([list({pinned:"true",limit:PINNED}),list({origin:"console",sort:"recent",limit:PAGE})]),ids=new Set(pinned.data.map(({id})=>id));return{pinned:pinned.data,recent:recent.
data.filter(({id})=>!ids.has(id)),more:recent.has_more}}function useHeld(){let[held,setHeld]=w(null),[error,setError]=w(null),timer=U(void 0),last=U(0),now=()=>{
clearTimeout(timer.current),timer.current=void 0,last.current=Date.now(),read().then(found=>(setHeld(found),setError(null)),failure=>setError(asApiError(failure)))},
soon=(wait=0)=>{timer.current??=setTimeout(now,Math.max(wait,last.current+PAUSE-Date.now(),0))};return S(()=>{now();let seen=()=>document.visibilityState==="vis\
ible"&&soon();return document.addEventListener("visibilitychange",seen),()=>{clearTimeout(timer.current),document.removeEventListener("visibilitychange",seen)}},
[]),{held,error,now,soon}}function Chats(){let{held,error,now,soon}=useHeld(),[acting,setActing]=w(null),[failed,setFailed]=w(null),tabs=U(null);S(()=>(tabs.current=
new Tabs(()=>soon()),()=>tabs.current?.close()),[]);let changed=id=>{tabs.current?.tell(id),now()},change=async(of,body)=>{try{return await(await call(`/v1/conv\
ersations/${of.id}`,{body})).body?.cancel(),setFailed(null),!0}catch(failure){return setFailed(asApiError(failure)),!1}},pin=async of=>{await change(of,{pinned:!of.
pinned})&&announce(of.pinned?words.chats.unpinned:words.chats.pinnedNow),changed(of.id)},rename=async(of,title)=>{setActing(null),title!==of.title&&await change(
of,{title}),changed(of.id)},rows=data=>i("ul",{children:data.map(row=>i(Row,{row,acting,act:setActing,pin:of=>{pin(of)},rename},row.id))});return i($,{children:[
i("nav",{class:"chats","aria-label":words.chats.title,children:[i("div",{class:"row between",children:[i("h2",{children:words.chats.title}),i("a",{href:href("co\
nversations"),class:"all",children:words.chats.all})]}),may("chat")&&i(Follow,{soon}),error&&!held&&i(Refused,{error,retry:now}),failed&&i(Refused,{error:failed}),
!held&&!error&&i("p",{class:"fine loading",children:words.state.loading}),held&&held.pinned.length>0&&i("section",{children:[i("h3",{children:words.chats.pinned}),
rows(held.pinned)]}),held&&groups(held.recent).map(({title,data})=>i("section",{children:[i("h3",{children:title}),rows(data)]},title)),held&&held.pinned.length+
held.recent.length===0&&i("p",{class:"fine none",children:words.chats.none}),i(Programs,{rows,held})]}),acting?.kind==="delete"&&i(Changes,{change:{kind:"delete",
of:acting.of},onClose:()=>setActing(null),onChanged:()=>{},onDeleted:id=>{route.value.id===id&&go("chat"),changed(id)}})]})}function Follow({soon}){let[seen,setSeen]=w(
document.visibilityState==="visible");return S(()=>{let look=()=>setSeen(document.visibilityState==="visible");return document.addEventListener("visibilitychang\
e",look),()=>document.removeEventListener("visibilitychange",look)},[]),seen&&may("read")?i(Live,{soon}):null}function Live({soon}){let late=U(void 0);return useLive(
"/v1/runs/live",runs=>{soon(),!runs.every(run=>run.status==="queued"||run.status==="running")&&(clearTimeout(late.current),late.current=setTimeout(soon,TITLED))},
()=>soon()),S(()=>()=>clearTimeout(late.current),[]),null}function Programs({rows,held}){let[shown,setShown]=w(!1),[data,setData]=w(null);return S(()=>{if(!shown)
return;let wanted=!0;return list({origin:"api",limit:PAGE}).then(found=>wanted&&setData(found.data),()=>{}),()=>{wanted=!1}},[shown,held]),i("details",{class:"p\
rograms",onToggle:event=>setShown(event.currentTarget.open),children:[i("summary",{children:words.chats.programs}),shown&&!data&&i("p",{class:"fine loading",children:words.
state.loading}),data&&(data.length>0?rows(data):i("p",{class:"fine none",children:words.chats.programsNone})),data&&i("a",{class:"all",href:href("conversations",
null,{origin:"api"}),children:words.chats.programsAll})]})}function Row({row,acting,act,pin,rename}){let title=row.title||words.conversations.untitled,id=`chat-${row.
id}`,current=route.value.name==="chat"&&route.value.id===row.id;return acting?.kind==="rename"&&acting.of.id===row.id?i("li",{children:i(Rename,{row,done:to=>to===
null?act(null):void rename(row,to)})}):i("li",{children:[i("a",{id,href:href("chat",row.id),title,"aria-current":current?"page":void 0,children:i("span",{dir:"a\
uto",children:title})}),may("chat")&&i("span",{class:"acts",children:[i(Act,{icon:"pin",word:row.pinned?words.chats.unpin:words.chats.pin,of:id,act:()=>pin(row)}),
i(Act,{icon:"edit",word:words.chats.rename,of:id,act:()=>act({kind:"rename",of:row})}),i(Act,{icon:"trash",word:words.actions.delete,of:id,act:()=>act({kind:"de\
lete",of:row})})]})]})}function Act({icon,word,of,act}){return i("button",{type:"button",class:"bare",title:word,"aria-label":word,"aria-describedby":of,onClick:act,
children:i(Icon,{name:icon})})}function Rename({row,done}){let input=U(null),over=U(!1),[text,setText]=w(row.title??""),end=title=>{over.current||(over.current=
!0,done(title),requestAnimationFrame(()=>document.getElementById(`chat-${row.id}`)?.focus()))};return S(()=>input.current?.select(),[]),i("form",{onSubmit:event=>{
event.preventDefault(),end(input.current.value.trim())},children:i("input",{ref:input,dir:"auto","aria-label":words.conversations.title,maxLength:256,value:text,
onInput:event=>setText(event.currentTarget.value),onBlur:event=>end(event.currentTarget.value.trim()),onKeyDown:event=>{event.key==="Escape"&&(event.stopPropagation(),
end(null))}})})}var relative=new Intl.RelativeTimeFormat(void 0,{numeric:"auto"}),upper=text=>text.charAt(0).toLocaleUpperCase()+text.slice(1);function groups(rows){
let midnight=new Date;midnight.setHours(0,0,0,0);let found=[];for(let row of rows){let past=Math.ceil((midnight.getTime()/1e3-(row.updated_at??row.created_at))/
86400),title=past<=0?upper(relative.format(0,"day")):past===1?upper(relative.format(-1,"day")):past<=7?words.chats.week:past<=30?words.chats.month:words.chats.older,
last=found.at(-1);last?.title===title?last.data.push(row):found.push({title,data:[row]})}return found}export{Chats as default};
