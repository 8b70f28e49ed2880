import{Import}from"./chunk.SBQC7KNO.js";import"./chunk.DNSPUXVI.js";import{Changes}from"./chunk.FOXKRY3W.js";import{Tabs}from"./chunk.2WOFV63C.js";
import"./chunk.2GJ4U3AR.js";import"./chunk.HV6AWK6K.js";import{Time}from"./chunk.TZMBYRJR.js";import{href,may,replace}from"./chunk.EV7FTPOP.js";
import{More,useList}from"./chunk.7L7ZIUJW.js";import"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";import{$,Empty,Icon,S,State,
U,count,day,get,i,money,plainWords,query,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var PAGE=30;function Found({q,turn}){let list=useList(async(after,signal)=>{let hits=await get(`/v1/search${query({q,limit:PAGE,after:after??void 0})}`,{signal});
return{data:hits.data.map(hit=>({...hit,id:hit.message_id??hit.conversation,complete:hits.complete})),has_more:hits.has_more,last_id:hits.next}},[q,turn]);return S(
()=>{list.data&&announce(count(list.data.length,words.conversations.found))},[list.data]),i("section",{"aria-label":words.conversations.results,"aria-busy":list.
busy,children:[i(State,{of:list,empty:data=>data.length===0,none:i(Empty,{title:words.conversations.notFound,children:i("p",{children:words.conversations.syntax})}),
children:data=>i($,{children:[data.some(row=>!row.complete)&&i(Incomplete,{}),i("ul",{class:"entries",children:data.map(row=>i("li",{children:i(HitRow,{row})},row.
id))})]})}),i(More,{of:list})]})}function Incomplete(){return i("p",{class:"notice",children:[i(Icon,{name:"warn"}),words.conversations.incomplete]})}function HitRow({
row}){let title=row.title||words.conversations.untitled,marked=i(Marked,{segments:row.segments});return i("div",{class:"what",children:[i("a",{href:href("chat",
row.conversation,row.message_id?{at:row.message_id}:{}),class:row.title?void 0:"untitled",children:row.message_id===null?marked:title}),row.message_id!==null&&i(
"p",{class:"snippet",children:marked}),i("p",{class:"fine row wrap",children:[i("span",{children:row.message_id===null?words.conversations.inTitle:roleOf(row.role)}),
i(Time,{at:row.created_at})]})]})}function Marked({segments}){return i($,{children:segments.map((segment,i2)=>segment.match?i("mark",{children:segment.text},i2):
segment.text)})}var roles=words.conversations.roles,roleOf=role=>roles[role??""]??role??"";var PAGE2=50;function Conversations({route}){let q=route.query.get("q")??"",key=route.query.get("key")??"",value=route.query.get("value")??"",origin=route.query.
get("origin")??"",[imported,setImported]=w(0);return i("div",{class:"page conversations",children:[i("header",{class:"row wrap between",children:[i("h1",{children:words.
pages.conversations}),may("chat")&&i(Import,{onDone:()=>setImported(old=>old+1)})]}),i(Search,{q,focus:route.query.get("focus")==="search"}),q?i(Found,{q,turn:imported}):
i($,{children:[i("div",{class:"row wrap between",children:[!key&&i(Origins,{origin}),i(Filter,{name:key,value})]}),i(ByTime,{name:key,value,origin:key?"":origin,
turn:imported})]})]})}function Search({q,focus}){let input=U(null),[text,setText]=w(q);return S(()=>setText(q),[q]),S(()=>{focus&&(requestAnimationFrame(()=>input.
current?.focus()),replace("conversations",null,q?{q}:{}))},[focus]),i("form",{role:"search",class:"search",onSubmit:event=>{event.preventDefault(),replace("conv\
ersations",null,text.trim()?{q:text.trim()}:{})},children:[i(Icon,{name:"search"}),i("input",{ref:input,type:"search","aria-label":words.conversations.search,placeholder:words.
conversations.search,title:words.conversations.syntax,maxLength:1024,value:text,onInput:event=>{setText(event.currentTarget.value),event.currentTarget.value===""&&
replace("conversations")}}),i("button",{class:"primary",children:words.conversations.find})]})}var origins=["","console","api"];function Origins({origin}){return i(
"nav",{class:"origins","aria-label":words.conversations.origin,children:origins.map(one=>i("a",{href:href("conversations",null,one?{origin:one}:{}),"aria-curren\
t":one===origin?"true":void 0,children:words.conversations.origins[one||"all"]},one))})}function Filter({name,value}){let[typed,setTyped]=w({name,value});S(()=>setTyped(
{name,value}),[name,value]);let filter=event=>{event.preventDefault(),replace("conversations",null,typed.name?{key:typed.name,value:typed.value}:{})};return i("\
details",{class:"filter",open:name!=="",children:[i("summary",{children:words.conversations.filter}),i("form",{class:"row wrap",onSubmit:filter,children:[i("lab\
el",{children:[words.conversations.labelName,i("input",{required:!0,maxLength:64,value:typed.name,onInput:event=>setTyped({...typed,name:event.currentTarget.value})})]}),
i("label",{children:[words.conversations.labelValue,i("input",{maxLength:512,value:typed.value,onInput:event=>setTyped({...typed,value:event.currentTarget.value})})]}),
i("button",{children:words.conversations.filterSubmit}),name&&i("button",{type:"button",onClick:()=>replace("conversations"),children:words.conversations.filterClear})]})]})}
var both=["console","api"],page=(parameters,signal)=>get(`/v1/conversations${query({limit:PAGE2,...parameters})}`,{signal});async function further(origin,rows,signal){
let seen=rows.filter(row=>row.origin===origin);for(let i2=seen.length-1;;i2--){let found=await page({after:seen[i2]?.id,origin,sort:origin==="console"?"recent":
void 0},signal),[first]=found.data;if(i2<=0||!first||atOf(first,"")<=atOf(seen[i2],""))return found}}async function merged(of,rows,ended,signal){let open=of.filter(
origin=>!ended.has(origin)),found=await Promise.all(open.map(origin=>further(origin,rows,signal))),left=found.map(one=>[...one.data]),data=[];for(;data.length<PAGE2;){
let heads=left.filter(rows2=>rows2.length>0);if(heads.length===0)break;data.push(heads.reduce((a,b)=>atOf(b[0],"")>atOf(a[0],"")?b:a).shift())}return open.forEach(
(origin,i2)=>!found[i2].has_more&&left[i2].length===0&&ended.add(origin)),{data,has_more:of.some(origin=>!ended.has(origin)),last_id:data.at(-1)?.id??null}}function ByTime({
name,value,origin,turn}){let[change,setChange]=w(null),shown=U([]),ended=U(new Set),list=useList((after,signal)=>{if(name)return page({after:after??void 0,[`met\
adata[${name}]`]:value},signal);after===null&&(ended.current=new Set);let of=both.filter(one=>origin===""||origin===one);return merged(of,after===null?[]:shown.
current,ended.current,signal)},[name,value,origin,turn]),rows=list.data??[];return shown.current=rows,S(()=>{name&&list.data&&announce(count(list.data.length,words.
conversations.shown))},[name,list.data]),i($,{children:[i(State,{of:list,empty:data=>data.length===0,none:i(None,{filtered:name!==""}),children:data=>byDay(data,
name).map(group=>i("section",{children:[i("h2",{children:group.title}),i("ul",{class:"entries",children:group.rows.map(row=>i(Row,{row,at:atOf(row,name),onChange:setChange},
row.id))})]},group.title))}),i(More,{of:list}),change&&i(Changes,{change,onClose:()=>setChange(null),onChanged:changed=>{list.set(rows.map(row=>row.id===changed.
id?{...row,...changed}:row)),tell(changed.id)},onDeleted:id=>{list.set(rows.filter(row=>row.id!==id)),tell(id)}})]})}function None({filtered}){return filtered?i(
Empty,{title:words.conversations.noneFiltered}):i(Empty,{title:words.conversations.none,children:[i("p",{children:words.conversations.noneText}),may("chat")&&i(
"a",{class:"button primary",href:href("chat"),children:words.frame.newChat})]})}function tell(id){let tabs=new Tabs(()=>{});tabs.tell(id),tabs.close()}function Row({
row,at,onChange}){let title=row.title||words.conversations.untitled,act=kind=>()=>onChange({kind,of:row});return i("li",{children:[i("div",{class:"what",children:[
i("a",{href:href("chat",row.id),class:row.title?void 0:"untitled",dir:"auto",children:title}),row.excerpt&&row.excerpt!==row.title&&i("p",{class:"excerpt",dir:"\
auto",children:plainWords(row.excerpt)}),i("p",{class:"fine row wrap facts",children:[i(Clock,{at}),row.model&&i("span",{children:row.model}),row.message_count!==
void 0&&i("span",{children:count(row.message_count,words.conversations.messages)}),row.cost&&i("span",{children:money(row.cost)}),Object.entries(row.metadata).map(
([name,value])=>i("a",{class:"badge label",title:words.conversations.filterBy,href:href("conversations",null,{key:name,value}),children:[name,": ",value]},name))]})]}),
i("div",{class:"row does",children:[may("chat")&&i(Does,{icon:"edit",word:words.conversations.edit,title,act:act("edit")}),i(Does,{icon:"down",word:words.conversations.
export,title,act:act("export")}),may("chat")&&i(Does,{icon:"trash",word:words.actions.delete,title,act:act("delete")})]})]})}function Does({icon,word,title,act}){
return i("button",{type:"button",class:"bare",title:word,"aria-label":`${word}: ${title}`,onClick:act,children:i(Icon,{name:icon})})}var clocks=new Intl.DateTimeFormat(
void 0,{timeStyle:"short"});function Clock({at}){return i("time",{dateTime:new Date(at*1e3).toISOString(),children:clocks.format(at*1e3)})}function atOf(row,label){
return row.origin==="console"&&label===""?row.updated_at??row.created_at:row.created_at}var relative=new Intl.RelativeTimeFormat(void 0,{numeric:"auto"});function byDay(rows,label){
let midnight=new Date;midnight.setHours(0,0,0,0);let groups=[];for(let row of rows){let at=atOf(row,label),past=Math.ceil((midnight.getTime()/1e3-at)/86400),title=past<=
0?relative.format(0,"day"):past===1?relative.format(-1,"day"):day(at),last=groups.at(-1);last?.title===title?last.rows.push(row):groups.push({title,rows:[row]})}
return groups}export{Conversations as default};
