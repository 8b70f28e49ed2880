import{Drop}from"./chunk.DNSPUXVI.js";import{Tabs}from"./chunk.2WOFV63C.js";import{href}from"./chunk.EV7FTPOP.js";import{useAction}from"./chunk.7L7ZIUJW.js";
import{announce}from"./chunk.I223LIPR.js";import{$,Icon,Loading,Refused,count,get,i,w,words}from"./chunk.QMEWQLJE.js";async function importArchive(file){let found=await get("/v1/conversations/import",{method:"POST",body:file,headers:{"Content-Type":"application/jsonl","Idempote\
ncy-Key":crypto.randomUUID()}}),tabs=new Tabs(()=>{});return found.conversations[0]&&tabs.tell(found.conversations[0].id),tabs.close(),found}function Import({onDone}){
let action=useAction(),[done,setDone]=w(null),take=([file])=>action.run(async()=>{setDone(null);let result=await importArchive(file);setDone(result),announce(count(
result.conversations.length,words.conversations.imported)),onDone()});return i($,{children:[i(Drop,{label:words.conversations.import,hint:words.conversations.importHint,
accept:".jsonl,.json,application/json,application/jsonl",busy:action.busy,onFiles:take}),action.busy&&i(Loading,{}),action.error&&i(Refused,{error:action.error}),
done&&i(Outcome,{of:done,onClose:()=>setDone(null)})]})}function Outcome({of,onClose}){let messages=of.conversations.reduce((sum,one)=>sum+one.messages,0),only=of.
conversations.length===1?of.conversations[0]:void 0;return i("div",{class:"notice wide",role:"group","aria-label":words.conversations.importDone,children:[i(Icon,
{name:"check"}),i("div",{children:[i("strong",{children:count(of.conversations.length,words.conversations.imported)}),i("p",{children:count(messages,words.conversations.
messages)}),only&&i("a",{href:href("chat",only.id),children:words.conversations.open}),of.warnings.length>0&&i("details",{open:!0,children:[i("summary",{children:count(
of.warnings.length,words.conversations.warnings)}),i("ul",{children:of.warnings.map((warning,i2)=>i("li",{children:warning.message},i2))})]}),i("button",{type:"\
button",onClick:onClose,children:words.actions.close})]})]})}export{importArchive,Import};
