import{save}from"./chunk.2GJ4U3AR.js";import{useLoad}from"./chunk.HV6AWK6K.js";import{FormDialog}from"./chunk.7L7ZIUJW.js";import{Dialog}from"./chunk.FYMJ2TNW.js";
import{announce}from"./chunk.I223LIPR.js";import{Icon,Loading,Refused,S,call,fill,get,i,w,words}from"./chunk.QMEWQLJE.js";function Changes({change,onClose,onChanged,onDeleted}){switch(change.kind){case"edit":return i(Edit,{id:change.of.id,onClose,onChanged});case"export":return i(Export,
{of:change.of,onClose});case"delete":return i(Delete,{of:change.of,onClose,onDeleted})}}var path=id=>`/v1/conversations/${id}`,titleOf=of=>of.title||words.conversations.
untitled;function Edit({id,onClose,onChanged}){let read=useLoad(async signal=>{let answer=await call(path(id),{signal});return{conversation:await answer.json(),
revision:answer.headers.get("ETag")}},[id]);return read.data?i(EditForm,{read:read.data,onClose,onChanged}):i(Dialog,{title:words.conversations.edit,onClose,children:read.
error?i(Refused,{error:read.error,retry:read.reload}):i(Loading,{})})}function EditForm({read,onClose,onChanged}){let[title,setTitle]=w(read.conversation.title??
""),[labels,setLabels]=w(Object.entries(read.conversation.metadata)),change=(i2,name,value)=>setLabels(labels.map((pair,place)=>place===i2?[name,value]:pair)),submit=async()=>{
let metadata=Object.fromEntries(labels.filter(([name])=>name!=="")),headers=read.revision?{"If-Match":read.revision}:{};onChanged(await get(path(read.conversation.
id),{method:"POST",body:{...title!==(read.conversation.title??"")&&{title},metadata},headers})),announce(words.conversations.saved),onClose()};return i(FormDialog,
{title:words.conversations.edit,submit:words.actions.save,onSubmit:submit,onClose,children:[i("label",{children:[words.conversations.title,i("input",{value:title,
maxLength:256,onInput:event=>setTitle(event.currentTarget.value)})]}),i("fieldset",{class:"labels",children:[i("legend",{children:words.conversations.labels}),labels.
map(([name,value],i2)=>i("div",{class:"row",children:[i("input",{"aria-label":words.conversations.labelName,placeholder:words.conversations.labelName,maxLength:64,
value:name,onInput:event=>change(i2,event.currentTarget.value,value)}),i("input",{"aria-label":words.conversations.labelValue,placeholder:words.conversations.labelValue,
maxLength:512,value,onInput:event=>change(i2,name,event.currentTarget.value)}),i("button",{type:"button",class:"bare",title:words.conversations.labelRemove,"ari\
a-label":`${words.conversations.labelRemove}: ${name}`,onClick:()=>setLabels(labels.filter((_,place)=>place!==i2)),children:i(Icon,{name:"close"})})]},i2)),labels.
length<16&&i("button",{type:"button",onClick:()=>setLabels([...labels,["",""]]),children:[i(Icon,{name:"plus"}),words.conversations.labelAdd]})]})]})}async function exported(id,signal){
return(await call(`${path(id)}/export`,{signal})).blob()}function Export({of,onClose}){let read=useLoad(signal=>exported(of.id,signal),[of.id]);return S(()=>{read.
data&&(save(read.data,`${of.id}.jsonl`),announce(words.conversations.exported),onClose())},[read.data]),i(Dialog,{title:words.conversations.export,onClose,children:[
i("p",{children:titleOf(of)}),read.error?i(Refused,{error:read.error,retry:read.reload}):i(Loading,{})]})}function Delete({of,onClose,onDeleted}){let submit=async()=>{
await call(path(of.id),{method:"DELETE"}),onDeleted(of.id),announce(words.conversations.deleted),onClose()};return i(FormDialog,{title:words.conversations.deleteTitle,
submit:words.actions.delete,danger:!0,onSubmit:submit,onClose,children:i("p",{children:fill(words.conversations.deleteText,{title:titleOf(of)})})})}export{Changes,exported};
