import{importArchive}from"./chunk.SBQC7KNO.js";import{Copy}from"./chunk.GT46QTCQ.js";import{exported}from"./chunk.FOXKRY3W.js";import{save}from"./chunk.2GJ4U3AR.js";
import{closeGateway,href,signIn}from"./chunk.EV7FTPOP.js";import{FormDialog,asApiError,useAction}from"./chunk.7L7ZIUJW.js";import{Dialog}from"./chunk.FYMJ2TNW.js";
import{announce}from"./chunk.I223LIPR.js";import{$,Icon,Refused,S,count,fill,get,i,query,w,words}from"./chunk.QMEWQLJE.js";function Program({title,text}){return i("div",{class:"stack tight",children:[i("div",{class:"row between fine",children:[title,i(Copy,{bare:!0,text,label:title})]}),
i("pre",{class:"snippet",tabIndex:0,role:"group","aria-label":title,children:text})]})}function Made({of,onClose}){return i(Dialog,{title:words.keys.madeTitle,onClose,children:i("div",{class:"stack",children:[i("p",{children:fill(words.keys.madeText,
{name:of.name||of.id})}),i(KeyText,{text:of.key}),i("footer",{children:i("button",{type:"button",class:"primary",onClick:onClose,children:words.keys.madeDone})})]})})}
function KeyText({text}){return i("div",{class:"row key-text",children:[i("input",{class:"mono","aria-label":words.keys.text,readOnly:!0,value:text,onFocus:event=>event.
currentTarget.select()}),i(Copy,{text})]})}var GRACES=[0,3600,86400,7*86400,30*86400];function Rotate({of,onClose,onMade}){let[grace,setGrace]=w(86400),submit=async()=>onMade(
await get(`/v1/admin/keys/${of.id}/rotate`,{method:"POST",body:{grace}}));return i(FormDialog,{title:words.keys.rotateTitle,submit:words.keys.rotate,onSubmit:submit,
onClose,children:[i("p",{children:fill(words.keys.rotateText,{name:of.name||of.id})}),i("label",{children:[words.keys.grace,i("select",{value:grace,onChange:event=>setGrace(
Number(event.currentTarget.value)),children:GRACES.map(seconds=>i("option",{value:seconds,children:words.keys.graces[String(seconds)]},seconds))})]})]})}function Revoke({
of,onClose,onRevoked}){let[typed,setTyped]=w(""),name=of.name||of.id,submit=async()=>{onRevoked(await get(`/v1/admin/keys/${of.id}`,{method:"DELETE"})),announce(
words.keys.revoked),onClose()};return i(FormDialog,{title:words.keys.revokeTitle,submit:words.keys.revoke,danger:!0,disabled:typed!==name,onSubmit:submit,onClose,
children:[i("p",{children:words.keys.revokeText}),i("label",{children:[i("span",{children:[words.keys.revokeType," ",i("strong",{children:name})]}),i("input",{autocomplete:"\
off",spellcheck:!1,value:typed,onInput:event=>setTyped(event.currentTarget.value)})]})]})}var SCOPES=["chat","read","files","admin"];function FirstKey({onDone}){let[name,setName]=w(words.keys.firstName),[along,setAlong]=w(!0),[progress,setProgress]=w(
""),[outcome,setOutcome]=w(null),action=useAction(),submit=event=>{event.preventDefault(),action.run(async()=>{let kept=along?await exportAll(n=>setProgress(count(
n,words.keys.firstExported))):null,key=await make(name);setOutcome({key,kept,taken:0,failed:null}),setProgress(""),announce(words.keys.madeTitle),setOutcome(await moveIn(
key,kept))})};return S(()=>()=>closeGateway(!1),[]),outcome?i(FirstMade,{of:outcome,busy:action.busy,onDone}):i("form",{class:"card stack first-key",onSubmit:submit,
children:[i(FirstTitle,{text:words.keys.firstTitle}),i("p",{children:words.keys.firstText}),i("label",{children:[words.keys.firstNamed,i("input",{required:!0,maxLength:128,
autocomplete:"off",value:name,onInput:event=>setName(event.currentTarget.value)})]}),i("label",{class:"choice",children:[i("input",{type:"checkbox",checked:along,
onChange:event=>setAlong(event.currentTarget.checked)}),words.keys.firstAlong]}),i("p",{class:"fine",children:along?words.keys.firstFiles:words.keys.firstBehind}),
action.error&&i(NotMade,{error:action.error,name}),i("p",{class:"row wrap",children:[i("button",{class:"primary",disabled:action.busy,children:words.keys.firstMake}),
i("span",{role:"status",children:progress})]})]})}function FirstTitle({text}){return i("h2",{class:"row",children:[i(Icon,{name:"key"}),text]})}function NotMade({
error,name}){return error.status!==404?i(Refused,{error}):i("div",{class:"stack",role:"alert",children:[i("p",{children:words.keys.firstElsewhere}),i(Program,{title:words.
keys.firstTitle,text:`parley keys create --name '${name.replaceAll("'","'\\''")}' --scopes ${SCOPES.join(",")}`})]})}async function make(name){closeGateway(!0);
try{return await get("/v1/admin/keys",{body:{name,scopes:SCOPES}})}catch(error){throw closeGateway(!1),error}}async function exportAll(tell){let parts=[],after=null;
do{let page=await get(`/v1/conversations${query({limit:100,order:"asc",after:after??void 0})}`);for(let{id}of page.data)parts.push(await exported(id)),tell(parts.
length);after=page.has_more?page.last_id:null}while(after);return{archive:parts.length?new Blob(parts):null,conversations:parts.length}}async function moveIn(key,kept){
try{await signIn(key.key);let taken=kept?.archive?(await importArchive(kept.archive)).conversations.length:0;return{key,kept,taken,failed:null}}catch(error){return{
key,kept,taken:0,failed:asApiError(error)}}}function FirstMade({of,busy,onDone}){let archive=of.kept?.archive;return i("section",{class:"card stack first-key",children:[
i(FirstTitle,{text:words.keys.madeTitle}),i("p",{children:fill(words.keys.madeText,{name:of.key.name})}),i(KeyText,{text:of.key.key}),busy&&i("p",{role:"status",
children:words.keys.firstMoving}),!busy&&!of.failed&&i("p",{children:words.keys.firstSignedIn}),of.taken>0&&i("p",{children:count(of.taken,words.keys.firstTaken)}),
of.kept===null&&i("p",{children:words.keys.firstBehind}),of.failed&&i($,{children:[i(Refused,{error:of.failed}),archive&&i($,{children:[i("p",{children:words.keys.
firstNotTaken}),i("button",{type:"button",onClick:()=>save(archive,"conversations.jsonl"),children:words.actions.download})]})]}),!busy&&i("p",{class:"row wrap",
children:[i("button",{type:"button",class:"primary",onClick:onDone,children:words.keys.madeDone}),i("a",{href:href("conversations"),children:words.pages.conversations})]})]})}export{Made,Rotate,Revoke,Program,FirstKey};
