import{AllowanceInputs,HealthStrip,allowanceBody,allowanceFields,allowanceLines,namesOf,useHealth}from"./chunk.KSXM44K6.js";import{CsvButton}from"./chunk.N72OJ6AJ.js";
import{nameOf,readBudgets,readGroups,useGroups}from"./chunk.HWIXBIY5.js";import"./chunk.23CIKIEQ.js";import{Table}from"./chunk.PHD44QW4.js";import{
pause,pauseAfter,readBlocks}from"./chunk.4GYXU4L6.js";import{FirstKey,Made,Revoke,Rotate}from"./chunk.35LE2S4C.js";import"./chunk.SBQC7KNO.js";
import{Copy}from"./chunk.GT46QTCQ.js";import"./chunk.DNSPUXVI.js";import"./chunk.FOXKRY3W.js";import"./chunk.2WOFV63C.js";import"./chunk.2GJ4U3AR.js";
import{useLoad}from"./chunk.HV6AWK6K.js";import{HealthBadge}from"./chunk.MCLTWFCY.js";import{Time}from"./chunk.TZMBYRJR.js";import{prefer,preferences}from"./chunk.J4YQBIBB.js";
import{admin,href,me,open,replace}from"./chunk.EV7FTPOP.js";import{FormDialog,More,asApiError,useAction,useList}from"./chunk.7L7ZIUJW.js";import{Dialog}from"./chunk.FYMJ2TNW.js";
import{announce}from"./chunk.I223LIPR.js";import{$,Empty,Icon,Loading,Refused,S,State,U,bytes,call,compact,count,duration,fill,get,i,isAbort,iso,money,number,
query,time,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var PAGE=100,PAGES=10;async function namesOfKeys(wanted,signal){let found=new Map,after;for(let n=0;n<PAGES&&wanted.some(id=>!found.has(id));n++){let page=await get(
`/v1/admin/keys${query({limit:PAGE,after})}`,{signal});for(let{id,name}of page.data)found.set(id,name??"");if(!page.has_more||!page.last_id)break;after=page.last_id}
return[...found]}async function read(wanted,signal){let keys=wanted.filter(id=>id.startsWith("key_")),groups=wanted.filter(id=>id.startsWith("grp_"));return(await Promise.
all([keys.length>0?namesOfKeys(keys,signal):[],groups.length>0?readGroups(signal).then(all=>all.map(({id,name})=>[id,name])):[]])).flat()}function useNames(ids){
let[names,setNames]=w(new Map),looked=U(new Set),wanted=[...new Set(ids)].filter(id=>/^(key|grp)_/.test(id??""));return S(()=>{let fresh=wanted.filter(id=>!looked.
current.has(id));if(fresh.length===0)return;let abort=new AbortController;return read(fresh,abort.signal).then(found=>{for(let id of[...fresh,...found.map(([id2])=>id2)])
looked.current.add(id);setNames(old=>new Map([...old,...found]))},()=>{}),()=>abort.abort()},[wanted.join()]),names}var PAGE2=50,CSV_PAGE=1e4,CSV_MAX=1e5,FILTERS=["actor","action","object","from","to"];function asked({actor,action,object,from,to}){let begin=(day,further=0)=>{
let at2=new Date(`${day}T00:00:00`);return at2.setDate(at2.getDate()+further),at2.getTime()/1e3};return{actor,action,object,since:from?begin(from):void 0,until:to?
begin(to,1)-1:void 0}}function Audit({route}){let filters=Object.fromEntries(FILTERS.map(name=>[name,route.query.get(name)??""])),list=useList((after,signal)=>get(
`/v1/admin/audit${query({...asked(filters),limit:PAGE2,after:after??void 0})}`,{signal}),[filters]),filter=change=>replace("audit",null,Object.fromEntries(Object.
entries({...filters,...change}).filter(([,value])=>value))),names=useNames((list.data??[]).flatMap(entry=>[entry.actor,entry.object_id])),csv=after=>`/v1/admin/\
audit${query({...asked(filters),format:"csv",limit:CSV_PAGE,after})}`;return i("div",{class:"page audit",children:[i("header",{class:"row wrap between",children:[
i("h1",{children:words.pages.audit}),i(CsvButton,{path:csv,most:CSV_MAX,name:"audit.csv"})]}),i("p",{class:"fine",children:words.audit.text}),i(Filter,{of:filters,
onChange:filter}),i(State,{of:list,empty:data=>data.length===0,none:i(Empty,{title:Object.values(filters).some(Boolean)?words.audit.noneFiltered:words.audit.none}),
children:data=>i(Table,{caption:words.pages.audit,rows:data,id:entry=>entry.id,columns:[{title:words.audit.time,cell:entry=>i("time",{dateTime:iso(entry.at),title:iso(
entry.at),children:time(entry.at)})},{title:words.audit.action,cell:entry=>words.audit.actions[entry.action]??entry.action},{title:words.audit.object,cell:entry=>i(
Id,{of:entry.object_id,name:names.get(entry.object_id??"")})},{title:words.audit.actor,cell:entry=>i(Actor,{of:entry,name:names.get(entry.actor)})},{title:words.
audit.address,cell:entry=>i(Id,{of:entry.address})},{title:words.audit.request,cell:entry=>i(Id,{of:entry.request_id})}]})}),i(More,{of:list})]})}function Id({of,
name}){return of?i($,{children:[name&&i("p",{dir:"auto",children:name}),i("code",{class:name?"fine":void 0,children:of})]}):i($,{children:words.units.none})}function Actor({
of,name}){return of.actor==="nobody"||of.actor==="program"?i($,{children:words.audit.actors[of.actor]}):i($,{children:[i(Id,{of:of.actor,name}),of.session&&i("p",
{class:"fine",title:of.session,children:words.audit.session})]})}function Filter({of,onChange}){let text=(name,label,hint)=>i("label",{children:[label,i("input",
{type:"search",placeholder:hint,value:of[name],maxLength:63,onChange:event=>onChange({[name]:event.currentTarget.value.trim()})})]}),day=(name,label)=>i("label",
{children:[label,i("input",{type:"date",value:of[name],onChange:event=>onChange({[name]:event.currentTarget.value})})]});return i("div",{class:"row wrap filters",
children:[i("label",{children:[words.audit.action,i("select",{value:of.action,onChange:event=>onChange({action:event.currentTarget.value}),children:[i("option",
{value:"",children:words.audit.any}),Object.entries(words.audit.actions).map(([name,says2])=>i("option",{value:name,children:says2},name))]})]}),text("actor",words.
audit.actor,words.audit.actorHint),text("object",words.audit.object,words.audit.objectHint),day("from",words.audit.from),day("to",words.audit.to)]})}function Groups(){let[shown,setShown]=w(null),read2=useGroups(),close=()=>setShown(null),done=said=>{announce(said),close(),read2.reload()};return i("div",{class:"\
page keys-page",children:[i("header",{class:"row wrap between",children:[i("h1",{children:words.pages.groups}),i("button",{type:"button",class:"primary",onClick:()=>setShown(
{kind:"make"}),children:[i(Icon,{name:"plus"}),words.groups.make]})]}),i("p",{class:"fine",children:words.groups.text}),i(State,{of:read2,empty:data=>data.length===
0,none:i(Empty,{title:words.groups.none,children:i("p",{children:words.groups.noneText})}),children:data=>i(GroupTable,{rows:data,onOpen:setShown})}),shown?.kind===
"make"&&i(GroupForm,{of:null,onClose:close,onDone:done}),shown?.kind==="edit"&&i(GroupForm,{of:shown.of,onClose:close,onDone:done}),shown?.kind==="remove"&&i(Remove,
{of:shown.of,onClose:close,onDone:done})]})}function GroupTable({rows,onOpen}){return i(Table,{caption:words.pages.groups,rows,id:group=>group.id,columns:[{title:words.
keys.name,cell:group=>i($,{children:[group.name||words.keys.noName,i("br",{}),i("code",{class:"fine",children:group.id})]})},{title:words.groups.keys,numeric:!0,
cell:group=>i("a",{href:href("keys",null,{group:group.id}),"aria-label":fill(words.groups.keysOf,{n:number(group.keys),name:nameOf(group)}),children:number(group.
keys)})},{title:words.keys.models,cell:group=>group.models?.join(", ")??words.keys.allModels},{title:words.keys.allowance,cell:group=>allowanceLines(group,group.
left)},{title:words.groups.hooks,cell:group=>group.hooks?.join(", ")??words.units.none},{title:words.groups.calls,cell:group=>i("span",{class:"row wrap",children:[
i("a",{href:href("runs",null,{group:group.id}),"aria-label":fill(words.overview.runsOf,{name:nameOf(group)}),children:words.pages.runs}),i("a",{href:href("usage",
null,{by:"group"}),children:words.pages.usage})]})},{title:words.keys.actions,bare:!0,cell:group=>i(Actions,{of:group,onOpen})}]})}function Actions({of,onOpen}){
let button=(kind,icon)=>i("button",{type:"button",class:"bare",title:words.groups[kind],"aria-label":`${words.groups[kind]}: ${nameOf(of)}`,onClick:()=>onOpen({
kind,of}),children:i(Icon,{name:icon})});return i("span",{class:"row",children:[button("edit","edit"),button("remove","trash")]})}function GroupForm({of,onClose,
onDone}){let[fields,setFields]=w(()=>({name:of?.name??"",models:of?.models?.join(`
`)??"",hooks:of?.hooks?.join(", ")??"",...allowanceFields(of)})),put=change=>setFields(old=>({...old,...change})),submit=async()=>{let models=namesOf(fields.models),
body={name:fields.name,models:models.length?models:of?["*"]:void 0,hooks:namesOf(fields.hooks),...allowanceBody(fields,of)};await get(`/v1/admin/groups${of?`/${of.
id}`:""}`,{method:"POST",body}),onDone(of?words.groups.changed:words.groups.made)};return i(FormDialog,{title:of?words.groups.edit:words.groups.make,submit:of?words.
actions.save:words.groups.make,onSubmit:submit,onClose,children:[i("label",{children:[words.keys.name,i("input",{value:fields.name,maxLength:128,required:!0,autocomplete:"\
off",onInput:event=>put({name:event.currentTarget.value})})]}),i("label",{children:[words.keys.modelsOnly,i("textarea",{rows:2,placeholder:words.keys.modelsHint,
value:fields.models,onInput:event=>put({models:event.currentTarget.value})})]}),i(AllowanceInputs,{of,fields,onChange:put}),i("label",{children:[words.groups.hooksToo,
i("input",{value:fields.hooks,placeholder:words.groups.hooksHint,autocomplete:"off",spellcheck:!1,onInput:event=>put({hooks:event.currentTarget.value})})]})]})}
function Remove({of,onClose,onDone}){let submit=async()=>{await get(`/v1/admin/groups/${of.id}`,{method:"DELETE"}),onDone(words.groups.removed)};return i(FormDialog,
{title:fill(words.groups.removeTitle,{name:nameOf(of)}),submit:words.groups.remove,danger:!0,disabled:of.keys>0,onSubmit:submit,onClose,children:of.keys>0?i("p",
{children:[count(of.keys,words.groups.inUse)," ",i("a",{href:href("keys",null,{group:of.id}),children:words.groups.showKeys})]}):i("p",{children:words.groups.removeText})})}function useOverview(){return useLoad(signal=>get("/v1/admin/overview",{signal}),[])}var SCOPES=["chat","read","files","admin","execute"];function fieldsOf(key){return{name:key?.name??"",scopes:key?.scopes??["chat","read","files"],group:key?.group??
"",models:key?.models?.join(`
`)??"",expires:key?.expires_at?local(key.expires_at):"",...allowanceFields(key)}}function local(seconds){let at2=new Date(seconds*1e3);return new Date(at2.getTime()-
at2.getTimezoneOffset()*6e4).toISOString().slice(0,16)}function bodyOf(fields,key){let models=namesOf(fields.models),expires_at=fields.expires?Math.floor(new Date(
fields.expires).getTime()/1e3):0,same=key?.expires_at&&local(key.expires_at)===fields.expires;return{name:fields.name,scopes:fields.scopes,group:fields.group===
(key?.group??"")?void 0:fields.group,models:models.length?models:key?["*"]:void 0,expires_at:same?key.expires_at:expires_at,...allowanceBody(fields,key)}}function KeyForm({
of,onClose,onMade,onChanged}){let[fields,setFields]=w(()=>fieldsOf(of)),put=change=>setFields(old=>({...old,...change})),submit=async()=>{let body=bodyOf(fields,
of);if(!of)return onMade(await get("/v1/admin/keys",{method:"POST",body}));onChanged(await get(`/v1/admin/keys/${of.id}`,{method:"POST",body})),announce(words.keys.
changed),onClose()},field=(name,more={})=>i("input",{value:fields[name],onInput:event=>put({[name]:event.currentTarget.value}),...more});return i(FormDialog,{title:of?
words.keys.edit:words.keys.make,submit:of?words.actions.save:words.keys.make,disabled:fields.scopes.length===0,onSubmit:submit,onClose,children:[i("label",{children:[
words.keys.name,field("name",{maxLength:128,required:!0,autocomplete:"off"})]}),i(Scopes,{of:fields.scopes,onChange:scopes=>put({scopes})}),i(GroupChoice,{value:fields.
group,onChange:group=>put({group})}),i("label",{children:[words.keys.expires,field("expires",{type:"datetime-local"})]}),i("label",{children:[words.keys.modelsOnly,
i("textarea",{rows:2,placeholder:words.keys.modelsHint,value:fields.models,onInput:event=>put({models:event.currentTarget.value})})]}),i(AllowanceInputs,{of,fields,
onChange:put}),fields.money!==""&&i(Unpriced,{models:fields.models})]})}function Unpriced({models}){let{data}=useOverview(),refused=data?refusedOf(data.models,namesOf(
models)):[];return refused.length===0?null:i("p",{class:"fine unsure",role:"status",children:fill(words.keys.unpriced,{names:refused.join(", ")})})}function refusedOf(models,allowed){
let unpriced=of2=>of2.targets.some(target=>target.price_source==="none"),of=new Map(models.map(model=>[model.name,model]));return models.filter(model=>allowed.length===
0||allowed.some(name=>covers(name,model.name))).filter(model=>[model,...model.fallback.map(name=>of.get(name))].some(one=>one&&unpriced(one))).map(model=>model.
name)}function covers(listed,name){let[a,b]=[listed,name].map(text=>text.replace(/\*$/,""));return listed.endsWith("*")||name.endsWith("*")?listed.endsWith("*")&&
b.startsWith(a)||name.endsWith("*")&&a.startsWith(b):listed===name}function GroupChoice({value,onChange}){let{data}=useGroups();return!value&&!data?.length?null:
i("label",{children:[words.keys.group,i("select",{value,onChange:event=>onChange(event.currentTarget.value),children:[i("option",{value:"",children:words.keys.noGroup}),
value&&!data?.some(({id})=>id===value)&&i("option",{value,children:value}),data?.map(group=>i("option",{value:group.id,children:nameOf(group)},group.id))]})]})}
function Scopes({of,onChange}){return i("fieldset",{class:"scopes",children:[i("legend",{children:words.keys.scopes}),SCOPES.map(scope=>i("label",{class:"choice",
children:[i("input",{type:"checkbox",checked:of.includes(scope),onChange:event=>onChange(event.currentTarget.checked?[...of,scope]:of.filter(one=>one!==scope))}),
i("span",{children:[i("strong",{children:scope})," ",i("span",{class:"fine",children:words.keys.scopeTexts[scope]})]})]},scope))]})}var PAGE3=50,PAGE_MOST=100;function Keys({route}){let[first,setFirst]=w(open.value);return first?i("div",{class:"page",children:[i("h1",{children:words.pages.keys}),
i(FirstKey,{onDone:()=>setFirst(!1)})]}):i(AllKeys,{group:route.query.get("group")})}async function ask(group,after,signal){let found=[];for(;;){let page=await get(
`/v1/admin/keys${query({limit:group?PAGE_MOST:PAGE3,after:after??void 0})}`,{signal});if(found.push(...page.data.filter(key=>!group||key.group===group)),found.length>=
PAGE3||!page.has_more||!group)return{...page,data:found};after=page.last_id}}function AllKeys({group}){let[shown,setShown]=w(null),list=useList((after,signal)=>ask(
group,after,signal),[group]),groups=useGroups(),budgets=useLoad(signal=>readBudgets(PAGE_MOST,signal),[]),groupName=id=>groups.data?.find(one=>one.id===id)?.name||
id,close=()=>setShown(null),put=key=>{let rows=list.data??[];list.set(rows.some(row=>row.id===key.id)?rows.map(row=>row.id===key.id?key:row):[key,...rows])},made=({
key,...rest})=>{put(rest),setShown({kind:"made",of:{...rest,key}})};return i("div",{class:"page keys-page",children:[i("header",{class:"row wrap between",children:[
i("h1",{children:words.pages.keys}),i("button",{type:"button",class:"primary",onClick:()=>setShown({kind:"make"}),children:[i(Icon,{name:"plus"}),words.keys.make]})]}),
group&&i("ul",{class:"chips",children:i("li",{children:[fill(words.keys.ofGroup,{name:groupName(group)}),i("a",{class:"button bare",href:href("keys"),title:words.
keys.ofAll,"aria-label":words.keys.ofAll,children:i(Icon,{name:"close"})})]})}),i(State,{of:list,empty:data=>data.length===0,none:i(Empty,{title:group?words.keys.
noneOf:words.keys.none,children:i("p",{children:words.keys.noneText})}),children:data=>i(KeyTable,{rows:data,onOpen:setShown,groupName,left:key=>budgets.data?.find(
row=>row.key===key.id)})}),i(More,{of:list}),shown?.kind==="make"&&i(KeyForm,{of:null,onClose:close,onMade:made,onChanged:put}),shown?.kind==="edit"&&i(KeyForm,
{of:shown.of,onClose:close,onMade:made,onChanged:put}),shown?.kind==="rotate"&&i(Rotate,{of:shown.of,onClose:close,onMade:made}),shown?.kind==="revoke"&&i(Revoke,
{of:shown.of,onClose:close,onRevoked:put}),shown?.kind==="made"&&i(Made,{of:shown.of,onClose:close})]})}function KeyTable({rows,onOpen,groupName,left}){return i(
Table,{caption:words.pages.keys,rows,id:key=>key.id,columns:[{title:words.keys.name,cell:key=>i(Name,{of:key})},{title:words.keys.status,cell:key=>i(Status,{of:key})},
{title:words.keys.scopes,cell:key=>i("span",{class:"row wrap",children:key.scopes.map(scope=>i("span",{class:"badge",children:scope},scope))})},{title:words.keys.
models,cell:key=>key.models?.join(", ")??words.keys.allModels},{title:words.keys.group,cell:key=>key.group===null?words.units.none:i("a",{href:href("keys",null,
{group:key.group}),title:key.group,children:groupName(key.group)})},{title:words.keys.allowance,cell:key=>allowanceLines(key,left(key))},{title:words.keys.lastUse,
cell:key=>key.last_used_at===null?words.keys.never:i("a",{href:href("runs",null,{key:key.id}),title:words.keys.runs,children:i(Time,{at:key.last_used_at})})},{title:words.
keys.actions,bare:!0,cell:key=>key.status!=="revoked"&&i(Actions2,{of:key,onOpen})}]})}function Name({of}){return i($,{children:[of.name||words.keys.noName,of.id===
me.value?.id&&i("span",{class:"badge good own",children:words.keys.own}),i("br",{}),i("code",{class:"fine",children:of.id})]})}function Status({of}){let kind=of.
status==="active"?"badge good":"badge bad";return i($,{children:[i("span",{class:kind,children:words.keys.statuses[of.status]}),of.status==="active"&&of.expires_at!==
null&&i("p",{class:"fine",children:fill(words.keys.until,{when:time(of.expires_at)})}),of.grace_until!==null&&of.grace_until*1e3>Date.now()&&i("p",{class:"fine",
children:fill(words.keys.graceUntil,{when:time(of.grace_until)})})]})}function Actions2({of,onOpen}){let name=of.name||of.id,button=(kind,icon)=>i("button",{type:"\
button",class:"bare",title:words.keys[kind],"aria-label":`${words.keys[kind]}: ${name}`,onClick:()=>onOpen({kind,of}),children:i(Icon,{name:icon})});return i("s\
pan",{class:"row",children:[button("edit","edit"),button("rotate","again"),button("revoke","trash")]})}var LEVELS=["error","warn","info"],KEPT=1e3;function Log({route}){let level=route.query.get("level")??"",request=route.query.get("request")??"",[paused,setPaused]=w(
!1),[follow,setFollow]=w(!0),{lines,gap,ready,error,again}=useLog(level,request,paused),filter=change=>replace("log",null,Object.fromEntries(Object.entries({level,
request,...change}).filter(([,value])=>value)));return i("div",{class:"page logged",children:[i("header",{class:"row wrap between",children:[i("h1",{children:words.
pages.log}),i("div",{class:"row wrap",children:[i("span",{class:`live fine ${ready&&!paused?"live":""}`,children:paused?words.log.paused:ready?words.log.live:words.
log.connecting}),i("button",{type:"button","aria-pressed":paused,onClick:()=>setPaused(!paused),children:[i(Icon,{name:paused?"again":"stop"}),paused?words.log.
resume:words.log.pause]})]})]}),i("div",{class:"row wrap filters",children:[i("label",{children:[words.log.level,i("select",{value:level,onChange:event=>filter(
{level:event.currentTarget.value}),children:[i("option",{value:"",children:words.log.all}),LEVELS.map(name=>i("option",{value:name,children:words.log.from[name]},
name))]})]}),i("label",{children:[words.log.request,i("input",{type:"search",placeholder:words.log.requestHint,maxLength:95,value:request,onChange:event=>filter(
{request:event.currentTarget.value.trim()})})]}),i("label",{class:"check",children:[i("input",{type:"checkbox",checked:follow,onChange:event=>setFollow(event.currentTarget.
checked)}),words.log.follow]})]}),error&&i(Refused,{error,retry:again}),!ready&&!error&&lines.length===0&&i(Loading,{}),ready&&lines.length===0&&i(Empty,{title:level||
request?words.log.noneFiltered:words.log.none}),gap&&i("p",{class:"notice",children:words.log.gap}),lines.length>0&&i(Lines,{of:lines,follow:follow&&!paused,onRequest:id=>filter(
{request:id})})]})}function Lines({of,follow,onRequest}){let box=U(null),last=of.at(-1)?.id;return S(()=>{follow&&box.current&&(box.current.scrollTop=box.current.
scrollHeight)},[last,follow]),i("div",{class:"log-lines",role:"region","aria-label":words.log.lines,tabIndex:0,ref:box,children:i("ol",{class:"plain",children:of.
map(line=>i("li",{class:line.level,children:i("details",{children:[i("summary",{children:[i("span",{class:"log-level",children:words.log.levels[line.level]}),i(
"time",{dateTime:line.at,children:line.at.slice(11,23)}),i("span",{class:"log-says",children:says(line)})]}),i(Whole,{of:line,onRequest})]})},line.id))})})}function Whole({
of,onRequest}){let members=membersOf(of);return i($,{children:[members?i("dl",{class:"log-members",children:Object.entries(members).map(([name,value])=>i("div",
{children:[i("dt",{children:name}),i("dd",{children:String(value)})]},name))}):i("pre",{class:"log-text",children:of.text}),of.request_id&&i("button",{type:"but\
ton",onClick:()=>onRequest(of.request_id),children:words.log.ofRequest})]})}function membersOf(line){try{return JSON.parse(line.text)}catch{return null}}var OWN=[
"ts","level","event"],FIRST=["msg","status","method","path","error_code","duration_ms","model","upstream"];function says(line){let members=membersOf(line);if(!members)
return line.text.split(" ").slice(2).join(" ");let names=[...FIRST.filter(name=>name in members),...Object.keys(members)],rest=[...new Set(names)].filter(name=>!OWN.
includes(name));return[line.event,...rest.map(name=>name==="msg"?members[name]:`${name}=${members[name]}`)].join(" ")}function useLog(level,request,paused){let[
held,setHeld]=w({lines:[],gap:!1,ready:!1,error:null}),[turn,setTurn]=w(0),asked2=U(""),after=U(null),question=JSON.stringify([level,request,turn]);return S(()=>{
if(asked2.current!==question&&(asked2.current=question,after.current=null,setHeld({lines:[],gap:!1,ready:!1,error:null})),paused)return;let abort=new AbortController,
take=blocks=>{let fresh=blocks.filter(block=>block.object==="log.line");fresh.length>0&&(after.current=fresh.at(-1).id),setHeld(old=>({lines:[...old.lines,...fresh].
slice(-KEPT),gap:old.gap||blocks.some(block=>block.object==="log.gap"),ready:old.ready||blocks.some(block=>block.object==="ready"),error:null}))};return followLog(
()=>query({level,request_id:request,after:after.current??void 0}),abort.signal,{take,cut:()=>setHeld(old=>({...old,ready:!1})),refused:error=>setHeld(old=>({...old,
ready:!1,error}))}),()=>abort.abort()},[question,paused]),{...held,again:()=>setTurn(old=>old+1)}}async function followLog(parameters,signal,reader){for(let cuts=1;!signal.
aborted;cuts+=1){try{await readLog(`/v1/admin/log${parameters()}`,signal,blocks=>{cuts=0,reader.take(blocks)})}catch(error){if(isAbort(error))return;let known=asApiError(
error);if(known.status>=400&&known.status<500&&known.status!==429)return reader.refused(known)}reader.cut(),await pause(pauseAfter(cuts,Math.random()),signal).catch(
()=>{})}}async function readLog(path,signal,take){let answer=await call(path,{signal,headers:{Accept:"text/event-stream"}}),waiting=[],tell=()=>{waiting.length>
0&&!signal.aborted&&take(waiting),waiting=[]};try{for await(let{event,data}of readBlocks(answer)){if(event)return;waiting.length===0&&setTimeout(tell,30),waiting.
push(JSON.parse(data))}}finally{tell()}}var keysOf=(rows,name)=>rows.filter(row=>row.name===name||row.name.startsWith(`${name}#`)),at=(name,what)=>`/v1/admin/providers/${encodeURIComponent(name)}/${what}`;
function Providers({of}){let[listing,setListing]=w(null),health=useHealth();return i($,{children:[i(Table,{caption:words.models.providers,rows:of,id:provider=>provider.
name,columns:[{title:words.models.name,cell:provider=>i(Name2,{of:provider})},{title:words.models.healthTitle,cell:provider=>i("div",{class:"stack",children:[i(
"span",{children:i(HealthBadge,{of:provider.health})}),health.data&&keysOf(health.data.data,provider.name).map(one=>i("div",{children:[one.name!==provider.name&&
i("span",{class:"fine",children:one.name}),i(HealthStrip,{of:one.history,from:health.data.from,to:health.data.to})]},one.name))]})},{title:words.models.address,
cell:provider=>i(Address,{of:provider})},{title:words.models.key,cell:provider=>provider.auth?i(Fetched,{of:provider.auth}):words.settings.secretStates[provider.
key]},{title:words.providers.actions,bare:!0,cell:provider=>i(Actions3,{of:provider,keys:keysOf(health.data?.data??[],provider.name).map(one=>one.name),onList:()=>setListing(
provider)})}]}),listing&&i(Models,{of:listing,onClose:()=>setListing(null)})]})}function Name2({of:{name,dialect,place}}){return i($,{children:[i("span",{dir:"a\
uto",children:name}),i("p",{class:"fine",children:[i("code",{title:words.models.dialect,children:dialect}),place&&i($,{children:[" · ",i("code",{title:words.settings.
place,children:place})]})]})]})}function Address({of:{base_url:url,headers}}){return i("div",{class:"address",children:[url?i("code",{children:url}):words.models.
builtIn,headers.length>0&&i("p",{class:"fine",children:[words.models.headers,": ",headers.join(", ")]})]})}function Fetched({of:{kind,source,expires_at:end,error}}){
let names={kind:words.providers.authKinds[kind],source:source??""};return i("div",{class:"fetched stack",children:[i("span",{children:fill(source?words.providers.
fetched:words.providers.notFetched,names)}),end!==null&&i("span",{class:"fine",children:[words.providers.ends," ",i(Time,{at:end})]}),error&&i("p",{class:"teste\
d bad",children:error})]})}function Actions3({of,keys,onList}){let action=useAction(),[tested,setTested]=w([]),test=()=>action.run(async()=>{let results=[];setTested(
results);for(let name of keys.length>0?keys:[of.name])results.push({name,told:await get(at(name,"test"),{method:"POST"})}),setTested([...results]);announce(results.
every(({told})=>told.ok)?words.providers.works:words.providers.fails)});return i("div",{class:"provider-test stack",children:[i("div",{class:"row",children:[i("\
button",{type:"button",title:fill(words.providers.testOf,{name:of.name}),disabled:action.busy,onClick:test,children:action.busy?words.providers.testing:words.providers.
test}),of.base_url&&i("button",{type:"button",title:fill(words.providers.modelsOf,{name:of.name}),onClick:onList,children:words.providers.models})]}),action.error&&
i(Refused,{error:action.error}),tested.map(({name,told})=>i("div",{children:[name!==of.name&&i("span",{class:"fine",children:name}),i(Result,{of:told})]},name))]})}
function Result({of}){return i("div",{class:`tested ${of.ok?"good":"bad"}`,children:[i("p",{children:[i("strong",{children:of.ok?words.providers.works:words.providers.
fails})," ",i("span",{class:"fine",children:[fill(words.providers.took,{model:of.model,time:duration(of.duration_ms)}),of.first_token_ms!==null&&fill(words.providers.
first,{time:duration(of.first_token_ms)})]})]}),of.text&&i("blockquote",{dir:"auto",children:of.text}),of.error&&i("p",{children:[of.error.message," ",i("code",
{children:of.error.code})," ",of.error.http_status]})]})}function Models({of,onClose}){let list=useLoad(signal=>get(at(of.name,"models"),{signal}),[]),[find,setFind]=w(
""),[chosen,setChosen]=w(null),fits2=model=>model.id.toLowerCase().includes(find.toLowerCase());return i(Dialog,{title:fill(words.providers.modelsOf,{name:of.name}),
onClose,children:i(State,{of:list,empty:({data})=>data.length===0,children:({data})=>i("div",{class:"stack",children:[i("label",{children:[words.providers.find,
i("input",{type:"search",value:find,onInput:event=>setFind(event.currentTarget.value)})]}),i("ul",{class:"plain provider-models",tabIndex:0,"aria-label":words.providers.
models,children:data.filter(fits2).map(model=>i("li",{children:[i("button",{type:"button",class:"bare link","aria-pressed":model===chosen,onClick:()=>setChosen(
model),children:model.id}),model.configured&&i("span",{class:"badge",children:words.providers.configured})]},model.id))}),!data.some(fits2)&&i(Empty,{title:words.
providers.noneFound}),chosen&&i("section",{class:"stack","aria-label":words.providers.entry,children:[i("div",{class:"row wrap between",children:[i("p",{class:"\
fine",children:words.providers.entryText}),i(Copy,{text:chosen.yaml,label:words.providers.copy})]}),i("pre",{class:"yaml",children:chosen.yaml})]})]})})})}function Models2({route}){return admin.value?i(Configured,{providers:route.query.get("show")==="providers"}):i(Names,{})}var sorts=Object.keys(words.models.sorts),
PAGE4=50,FEW=20;function useFinder(){let[find,setFind]=w(""),[sort,setSort]=w("provider"),[shown,setShown]=w(PAGE4);return{find,sort,shown,fields:orders2=>i("di\
v",{class:"row wrap filters",children:[i("label",{children:[words.models.search,i("input",{type:"search",value:find,onInput:event=>setFind(event.currentTarget.value)})]}),
i("label",{children:[words.models.sort,i("select",{value:sort,onChange:event=>setSort(event.currentTarget.value),children:orders2.map(one=>i("option",{value:one,
children:words.models.sorts[one]},one))})]})]}),more:of=>of>shown?i("button",{type:"button",class:"more",onClick:()=>setShown(shown+PAGE4),children:words.state.
more}):null}}var fits=(find,text)=>find.toLowerCase().split(/\s+/).every(word=>text.toLowerCase().includes(word)),byName=new Intl.Collator(void 0,{numeric:!0}).
compare;function Names(){let read2=useLoad(signal=>get("/v1/models",{signal}),[]),finder=useFinder();return i("div",{class:"page",children:[i("h1",{children:words.
pages.models}),i(State,{of:read2,empty:models=>models.data.length===0,children:models=>{let found=sortNames(models.data.filter(model=>fits(finder.find,textOf(model))),
finder.sort);return i($,{children:[finder.fields(["provider","name","price"]),i(NameTable,{rows:found.slice(0,finder.shown)}),found.length===0&&i(Empty,{title:words.
models.notFound}),finder.more(found.length)]})}})]})}var textOf=model=>`${model.id} ${model.owned_by} ${model.kind} ${model.capabilities.join(" ")}`,costOf=price=>price?
Number(price.input)+Number(price.output):1/0;function sortNames(models,sort){return sort==="name"?[...models].sort((a,b)=>byName(a.id,b.id)):sort==="price"?[...models].
sort((a,b)=>costOf(a.price)-costOf(b.price)):[...models].sort((a,b)=>byName(a.owned_by,b.owned_by))}function NameTable({rows}){return i(Table,{caption:words.pages.
models,rows,id:model=>model.id,columns:[{title:words.models.name,cell:model=>i($,{children:[i("code",{children:model.id})," ",model.default&&i("span",{class:"ba\
dge",children:words.models.default})]})},{title:words.models.provider,cell:model=>model.owned_by},{title:words.models.healthTitle,cell:model=>i(HealthBadge,{of:model.
health})},{title:words.models.price,cell:model=>model.price?fill(words.models.priceText,{input:model.price.input,output:model.price.output}):words.units.none},{
title:words.models.contextTitle,numeric:!0,cell:model=>number(model.context_window)},{title:words.models.takes,cell:model=>model.capabilities.map(one=>words.models.
capabilities[one]).join(", ")||words.units.none}]})}function Configured({providers:shown}){let read2=useOverview();return i("div",{class:"page models",children:[
i("header",{class:"row wrap between",children:[i("h1",{children:words.pages.models}),i("button",{type:"button",disabled:read2.busy,onClick:read2.reload,children:[
i(Icon,{name:"again"}),words.models.reload]})]}),i(State,{of:read2,children:({models,providers})=>i($,{children:[i(Parts,{providers:shown,worst:worstOf(providers)}),
shown?i(Providers,{of:providers}):i(Cards,{of:models})]})})]})}var worstOf=of=>of.find(({health})=>health!=="fine")?.health??"fine";function Parts({providers,worst}){
return i("nav",{class:"origins","aria-label":words.models.parts,children:[i("a",{href:href("models"),"aria-current":providers?void 0:"true",children:words.pages.
models}),i("a",{href:href("models",null,{show:"providers"}),"aria-current":providers?"true":void 0,children:[words.models.providers,worst!=="fine"&&i(HealthBadge,
{of:worst})]})]})}function Cards({of}){let finder=useFinder(),found=sortModels(of.filter(model=>fits(finder.find,[model.name,...model.targets.map(t=>`${t.provider}\
 ${t.upstream_model??""}`)].join(" "))),finder.sort),shown=found.slice(0,finder.shown),open2=found.length<=FEW;return i("section",{class:"stack model-list",children:[
of.length===0?i(Empty,{title:words.models.none}):finder.fields(sorts),of.length>0&&i("p",{role:"status",class:"fine",children:count(found.length,words.models.found)}),
finder.sort!=="provider"?shown.map(model=>i(ModelCard,{of:model,open:open2},model.name)):groupsOf(shown).map(([provider,models])=>i("section",{class:"stack","ar\
ia-label":provider,children:[!open2&&i("h2",{dir:"auto",children:provider}),models.map(model=>i(ModelCard,{of:model,open:open2},model.name))]},provider)),finder.
more(found.length)]})}var providerOf=model=>model.targets[0]?.provider??"",sum=(model,of)=>model.targets.reduce((all,target)=>all+of(target),0),dearest=model=>Math.
max(...model.targets.map(target=>costOf(target.price))),fastest=model=>Math.min(...model.targets.map(target=>target.first_token_ms??1/0)),difference=(a,b)=>a===
b?0:a-b,orders={provider:(a,b)=>byName(providerOf(a),providerOf(b)),name:(a,b)=>byName(a.name,b.name),price:(a,b)=>difference(dearest(a),dearest(b)),calls:(a,b)=>sum(
b,target=>target.calls)-sum(a,target=>target.calls),failed:(a,b)=>sum(b,target=>target.failed)-sum(a,target=>target.failed),first:(a,b)=>difference(fastest(a),fastest(
b))};function sortModels(models,sort){return[...models].sort(orders[sort])}function groupsOf(models){let groups=new Map;for(let model of models)groups.set(providerOf(
model),[...groups.get(providerOf(model))??[],model]);return[...groups]}function ModelCard({of,open:open2}){return open2?i(ModelFull,{of}):i("details",{class:"ca\
rd model-fold",children:[i("summary",{children:[i("code",{children:of.name}),i("span",{class:"fine model-facts",title:words.models.priceUnit,children:[priceOf(of),
contextOf(of)].filter(Boolean).join(" · ")}),i(HealthBadge,{of:worstOf(of.targets)})]}),i(ModelFull,{of})]})}function priceOf(of){let prices=of.targets.flatMap(
({price})=>price??[]);if(prices.length===0)return"";let range=part=>{let[least,most]=prices.map(price=>price[part]).sort((a,b)=>Number(a)-Number(b)).filter((_,i2,all)=>i2===
0||i2===all.length-1);return most===void 0||Number(most)===Number(least)?money(least):`${money(least)}–${money(most)}`};return fill(words.models.priceText,{input:range(
"input"),output:range("output")})}function contextOf(of){let known=of.targets.flatMap(({context})=>context??[]);return known.length===0?"":fill(words.models.context,
{n:compact(Math.min(...known))})}function ModelFull({of}){return i("article",{class:"card stack",children:[i("header",{class:"row wrap between",children:[i("h2",
{children:i("code",{children:of.name})}),i("p",{class:"fine row wrap",children:[contextOf(of)&&i("span",{children:contextOf(of)}),of.max_output!==null&&i("span",
{children:fill(words.models.maxOutput,{n:number(of.max_output)})}),of.place&&i("code",{children:of.place})]})]}),i(Table,{caption:fill(words.models.targetsOf,{name:of.
name}),rows:of.targets,id:target=>`${target.provider} ${target.key} ${target.upstream_model}`,columns:[{title:words.models.target,cell:target=>i(TargetName,{of:target})},
{title:words.models.healthTitle,cell:target=>i(HealthBadge,{of:target.health,until:target.until})},{title:words.models.weight,numeric:!0,cell:target=>number(target.
weight)},{title:words.models.calls,numeric:!0,cell:target=>number(target.calls)},{title:words.models.failed,numeric:!0,cell:target=>target.failed===0?number(0):
i("a",{href:href("runs",null,{model:of.name,provider:target.provider,status:"failed"}),title:words.models.failedRuns,children:number(target.failed)})},{title:words.
models.first,numeric:!0,cell:target=>target.first_token_ms===null?words.units.none:duration(target.first_token_ms)},{title:words.models.cached,numeric:!0,cell:target=>i(
"span",{title:words.models.cachedText,children:target.tokens_in===0?words.units.none:fill(words.models.cachedShare,{share:number(Math.round(100*target.cached_tokens/
target.tokens_in))})})},{title:words.models.price,cell:target=>i(Price,{of:target})},{title:words.models.lastError,cell:target=>target.last_error&&i(LastError,{
of:target.last_error})}]}),of.fallback.length>0&&i("p",{children:[words.models.fallback," ",of.fallback.map((name,i2)=>i("span",{children:[i2>0&&" → ",i("code",
{children:name})]},name))]})]})}function TargetName({of}){return i($,{children:[of.provider,of.key!==null&&i("span",{class:"fine",children:[" ",fill(words.models.
keyPlace,{n:of.key})]}),i("br",{}),of.upstream_model===null?i("span",{class:"fine",children:words.models.star}):i("code",{class:"fine",children:of.upstream_model})]})}
function Price({of}){return of.price?i($,{children:[i("span",{title:words.models.priceUnit,children:fill(words.models.priceText,{input:of.price.input,output:of.
price.output})}),i("p",{class:"fine",children:words.models.priceSources[of.price_source]})]}):i("span",{class:"fine",children:words.models.priceSources[of.price_source]})}
function LastError({of:{at:at2,code,http_status,message}}){return i("div",{class:"last-error",children:[i("p",{children:[i("code",{children:code})," ",http_status,
" · ",i(Time,{at:at2})]}),i("p",{class:"fine",children:message})]})}function Settings(){return i("div",{class:"page settings",children:[i("h1",{children:words.pages.settings}),i(Preferences,{}),admin.value&&i(Gateway,{})]})}var themes=[
"auto","light","dark"];function Preferences(){return i("section",{class:"card stack",children:[i("h2",{children:words.settings.preferences}),i("label",{class:"s\
hort",children:[words.frame.theme,i("select",{value:preferences.value.theme,onChange:event=>prefer({theme:event.currentTarget.value}),children:themes.map(theme=>i(
"option",{value:theme,children:words.frame.themes[theme]},theme))})]}),i("label",{class:"choice",children:[i("input",{type:"checkbox",checked:preferences.value.
letters,onChange:event=>prefer({letters:event.currentTarget.checked})}),words.keyboard.letters]}),i("p",{class:"fine",children:words.settings.preferencesText})]})}
function Gateway(){let read2=useOverview();return i(State,{of:read2,children:overview=>i($,{children:[i(Facts,{of:overview,reload:read2.reload}),i(Retention,{of:overview}),
i(Reload,{of:overview.config}),i(Options,{of:overview.config.options}),i("section",{class:"stack",children:[i("h2",{children:words.settings.secrets}),i("p",{class:"\
fine",children:words.settings.secretsText}),i(Table,{caption:words.settings.secrets,rows:Object.entries(overview.secrets),id:([name])=>name,columns:[{title:words.
settings.option,cell:([name])=>i("code",{children:name})},{title:words.settings.value,cell:([,state])=>i("span",{class:state==="set"?"badge good":"badge",children:words.
settings.secretStates[state]})}]})]})]})})}function Fact({name,children}){return i("div",{children:[i("dt",{children:name}),i("dd",{children})]})}var outOf=(n,limit)=>fill(
words.settings.outOf,{n:number(n),limit:number(limit)});function Facts({of,reload}){let{store,calls,connections}=of;return i("section",{class:"card stack",children:[
i("header",{class:"row wrap between",children:[i("h2",{children:words.settings.gateway}),i("button",{type:"button",onClick:reload,children:[i(Icon,{name:"again"}),
words.models.reload]})]}),!store.writable&&i("p",{class:"notice bad",role:"alert",children:[i(Icon,{name:"warn"}),fill(words.settings.notWritable,{why:store.problem??
""})]}),i("dl",{class:"fact-list",children:[i(Fact,{name:words.settings.version,children:of.version}),i(Fact,{name:words.settings.started,children:time(of.started_at)}),
i(Fact,{name:words.settings.calls,children:outOf(calls.active,calls.max_calls)}),i(Fact,{name:words.settings.waiting,children:outOf(calls.waiting,calls.max_waiting)}),
i(Fact,{name:words.settings.connections,children:outOf(connections.open,connections.limit)}),i(Fact,{name:words.settings.streams,children:number(connections.streams)}),
i(Fact,{name:words.settings.database,children:[bytes(store.database_bytes)," ",i("span",{class:"fine",children:store.engine})]}),i(Fact,{name:words.settings.log,
children:bytes(store.log_bytes)}),i(Fact,{name:words.settings.index,children:[bytes(store.search.bytes)," ",i("span",{class:"fine",children:fill(words.settings.
indexed,{n:number(store.search.messages)})}),!store.search.complete&&i("span",{class:"badge bad",children:words.settings.indexing})]})]}),i("h3",{children:words.
settings.listeners}),i("ul",{class:"plain",children:of.listeners.map(one=>i("li",{class:"row wrap",children:[i("code",{children:one.bound}),one.admin&&i("span",
{class:"badge",children:words.settings.adminListener}),one.tls&&i("span",{class:"badge",children:words.settings.tls})]},one.bound))})]})}var UNITS={ms:.001,s:1,
m:60,h:3600,d:86400};function secondsOf(text){let[,count2,unit]=/^(\d+)(ms|s|m|h|d)$/.exec(text)??[];return count2&&unit?Number(count2)*UNITS[unit]:0}function Retention({
of}){let option=name=>show(of.config.options.find(one=>one.name===name)?.value??"0"),keep=option("conversations_keep"),oldest=of.store.oldest_conversation_at,none=(text,otherwise)=>/^0[a-zA-Z]*$/.
test(text)?otherwise:text;return i("section",{class:"card stack",children:[i("h2",{children:words.settings.retention}),i("dl",{class:"fact-list",children:[i(Fact,
{name:words.settings.conversationsKeep,children:none(keep,words.settings.forEver)}),i(Fact,{name:words.settings.contentKeep,children:none(option("content_keep"),
words.settings.forEver)}),i(Fact,{name:words.settings.sizeKeep,children:none(option("store_keep_size"),words.settings.noSize)}),oldest!==null&&i(Fact,{name:words.
settings.oldest,children:[time(oldest)," ",secondsOf(keep)>0&&i("span",{class:"fine",children:fill(words.settings.oldestGoes,{when:time(oldest+secondsOf(keep))})})]})]}),
i("p",{class:"fine",children:words.settings.keepText})]})}function Reload({of}){return i("section",{class:"stack",children:[i("h2",{children:words.settings.configuration}),
i("p",{children:[of.file?i("code",{children:of.file}):words.settings.noFile," · ",words.settings.readAt," ",i(Time,{at:of.read_at})]}),of.reload?.ok===!1&&i("d\
iv",{class:"notice bad",children:[i(Icon,{name:"warn"}),i("div",{children:[i("strong",{children:fill(words.settings.reloadFailed,{when:time(of.reload.at)})}),i(
"p",{children:of.reload.error})]})]}),of.reload?.ok&&i("p",{class:"fine",children:fill(words.settings.reloaded,{when:time(of.reload.at)})})]})}function show(value){
return Array.isArray(value)?value.join(", ")||words.units.none:value===""?words.units.none:String(value)}function Options({of}){let[all,setAll]=w(!1),rows=of.filter(
option=>all||option.source!=="default"||option.pending);return i("section",{class:"stack",children:[i("label",{class:"choice",children:[i("input",{type:"checkbo\
x",checked:all,onChange:event=>setAll(event.currentTarget.checked)}),words.settings.defaultsToo]}),rows.length===0?i("p",{class:"fine",children:words.settings.allDefault}):
i(Table,{caption:words.settings.configuration,rows,id:option=>option.name,columns:[{title:words.settings.option,cell:option=>i("code",{children:option.name})},{
title:words.settings.value,cell:option=>i("code",{children:show(option.value)})},{title:words.settings.source,cell:option=>words.settings.sources[option.source]},
{title:words.settings.place,cell:option=>option.place?i("code",{children:option.place}):words.units.none},{title:words.settings.onReload,cell:option=>i(OnReload,
{of:option})}]})]})}function OnReload({of}){return of.pending?i($,{children:[i("span",{class:"badge bad",children:words.settings.pending})," ",i("code",{children:show(
of.pending.value)})]}):i($,{children:words.settings.onReloads[of.on_reload]})}export{Audit as audit,Groups as groups,Keys as keys,Log as log,Models2 as models,Settings as settings};
