import{picture}from"./chunk.ZZUN5PA5.js";import{Table}from"./chunk.PHD44QW4.js";import{Drop}from"./chunk.DNSPUXVI.js";import{save}from"./chunk.2GJ4U3AR.js";
import{useLoad}from"./chunk.HV6AWK6K.js";import{Time}from"./chunk.TZMBYRJR.js";import{FormDialog,More,useAction,useList}from"./chunk.7L7ZIUJW.js";
import{Dialog}from"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";import{$,Empty,Icon,Loading,Refused,S,State,bytes,call,count,fill,
get,i,query,time,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var SHOWN_MAX=2e7,TEXT_MAX=1e5;function Preview({of,onClose}){let read=useLoad(signal=>of.bytes>SHOWN_MAX?Promise.resolve({kind:"other",blob:null}):look(of,signal),
[of.id]),download=async()=>save(read.data?.blob??await content(of),of.filename);return i(Dialog,{title:of.filename,onClose,children:i("div",{class:"stack previe\
w",children:[i("p",{class:"fine",children:[bytes(of.bytes)," · ",time(of.created_at)," · ",i("code",{children:of.id})]}),i(State,{of:read,children:found=>i(Shown,
{of:found,name:of.filename})}),i("footer",{children:i("button",{type:"button",onClick:()=>{download()},children:words.actions.download})})]})})}async function content(of,signal){
return(await call(`/v1/files/${of.id}/content`,{signal})).blob()}async function look(of,signal){let blob=await content(of,signal),image=await picture(blob);if(image)
return{kind:"image",blob:image};try{let text=new TextDecoder("utf-8",{fatal:!0}).decode(await blob.arrayBuffer());return text.includes("\0")?{kind:"other",blob}:
{kind:"text",blob,text:text.slice(0,TEXT_MAX),cut:text.length>TEXT_MAX}}catch{return{kind:"other",blob}}}function Shown({of,name}){switch(of.kind){case"text":return i(
$,{children:[i("pre",{class:"sheet",tabIndex:0,"aria-label":name,children:of.text}),of.cut&&i("p",{class:"fine",children:fill(words.files.cut,{n:TEXT_MAX})})]});case"\
image":return i(Picture,{blob:of.blob,name});case"other":return i("p",{children:of.blob?words.files.noPreview:words.files.tooLarge})}}function Picture({blob,name}){
let[address,setAddress]=w("");return S(()=>{let made=URL.createObjectURL(blob);return setAddress(made),()=>URL.revokeObjectURL(made)},[blob]),address?i("img",{src:address,
alt:fill(words.files.image,{name})}):null}var PAGE=100;function Files(){let[shown,setShown]=w(null),[leaving,setLeaving]=w(null),list=useList((after,signal)=>get(`/v1/files${query({limit:PAGE,after:after??
void 0})}`,{signal}),[]),rows=()=>list.data??[],upload=useAction(),take=files=>upload.run(async()=>{let made=[];try{for(let file of files)made.unshift(await send(
file))}finally{list.set([...made,...rows()])}announce(count(made.length,words.files.uploaded))});return i("div",{class:"page files",children:[i("header",{class:"\
row wrap between",children:[i("h1",{children:words.pages.files}),i(Drop,{label:words.files.upload,hint:words.files.uploadHint,multiple:!0,busy:upload.busy,onFiles:take})]}),
upload.busy&&i(Loading,{}),upload.error&&i(Refused,{error:upload.error}),i(State,{of:list,empty:data=>data.length===0,none:i(Empty,{title:words.files.none,children:i(
"p",{children:words.files.noneText})}),children:data=>i(Table,{caption:words.pages.files,rows:data,id:file=>file.id,columns:[{title:words.files.name,cell:file=>i(
"button",{type:"button",class:"bare link",onClick:()=>setShown(file),children:file.filename})},{title:words.files.size,numeric:!0,cell:file=>bytes(file.bytes)},
{title:words.files.purpose,cell:file=>i("code",{children:file.purpose})},{title:words.files.time,cell:file=>i(Time,{at:file.created_at})},{title:words.files.actions,
bare:!0,cell:file=>i(Remove,{of:file,onRemove:()=>setLeaving(file)})}]})}),i(More,{of:list}),shown&&i(Preview,{of:shown,onClose:()=>setShown(null)}),leaving&&i(
Delete,{of:leaving,onClose:()=>setLeaving(null),onDeleted:id=>list.set(rows().filter(file=>file.id!==id))})]})}function send(file){let form=new FormData;return form.
append("purpose",file.type.startsWith("image/")?"vision":"user_data"),form.append("file",file),get("/v1/files",{method:"POST",body:form,headers:{"Idempotency-Ke\
y":crypto.randomUUID()}})}function Remove({of,onRemove}){return i("button",{type:"button",class:"bare",title:words.actions.delete,"aria-label":`${words.actions.
delete}: ${of.filename}`,onClick:onRemove,children:i(Icon,{name:"trash"})})}function Delete({of,onClose,onDeleted}){let submit=async()=>{await call(`/v1/files/${of.
id}`,{method:"DELETE"}),onDeleted(of.id),announce(words.files.deleted),onClose()};return i(FormDialog,{title:words.files.deleteTitle,submit:words.actions.delete,
danger:!0,onSubmit:submit,onClose,children:i("p",{children:fill(words.files.deleteText,{name:of.filename})})})}export{Files as default};
