import{RANGES}from"./chunk.5L3GD2V3.js";import{BudgetBars,Chart,Legend,add}from"./chunk.DWTW3EUF.js";import{HealthStrip,leftText,useHealth}from"./chunk.KSXM44K6.js";
import{readBudgets}from"./chunk.HWIXBIY5.js";import{Table}from"./chunk.PHD44QW4.js";import{useLoad}from"./chunk.HV6AWK6K.js";import{Time}from"./chunk.TZMBYRJR.js";
import{admin,href,me,replace}from"./chunk.EV7FTPOP.js";import{$,Empty,Icon,S,State,bytes,clock,compact,dayShort,duration,fill,get,i,money,number,percent,query,
time,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";function Alerts({turn}){let{data}=useLoad(signal=>get("/v1/admin/overview",{signal}),[turn]);return i($,{children:[data&&data.alerts.length>0&&i(List,{of:data.alerts}),
data?.cache&&i(Cache,{of:data.cache})]})}function Cache({of:{hits,misses,bytes:bytes2}}){return hits+misses===0?null:i("p",{class:"fine",children:fill(words.overview.
cache,{share:percent(hits/(hits+misses)),n:number(hits+misses),size:bytes(bytes2)})})}function List({of}){return i("ul",{class:"alerts","aria-label":words.alerts.
title,children:of.map(one=>i("li",{class:"notice bad",children:[i(Icon,{name:"warn"}),i("p",{children:[i("a",{href:placeOf(one),children:words.alerts.types[one.
type]??one.type}),": ",one.text," ",i("span",{class:"fine",children:i(Time,{at:one.at})})]})]},`${one.type} ${one.subject}`))})}function placeOf({type,subject}){
return type.startsWith("provider")?href("models",null,{show:"providers"}):subject?.startsWith("grp_")?href("groups"):href(type.startsWith("budget")?"keys":"sett\
ings")}var SHOWN=8,NEAR=.8;function used({cost,tokens}){let part=of=>of?(Number(of.spent)+Number(of.reserved))/(Number(of.limit)||1):0;return Math.max(part(cost),part(
tokens))}function Budgets({turn}){let read=useLoad(signal=>readBudgets(SHOWN,signal),[turn]);return!read.data||read.data.length===0?null:i("section",{class:"car\
d stack","aria-label":words.overview.budgets,children:[i("header",{class:"row wrap between",children:[i("h2",{children:words.overview.budgets}),i("a",{href:href(
"keys"),children:words.overview.allKeys})]}),i("ul",{class:"budget-list",children:read.data.map(budget=>i(Row,{of:budget},budget.key??budget.group))})]})}function Row({
of}){let part=used(of),id=of.key??of.group??"";return i("li",{children:[i("a",{class:"quiet name",href:href("runs",null,of.key?{key:id}:{group:id}),title:id,children:[
of.name||id,of.group&&i("span",{class:"badge",children:words.keys.group})]}),i("svg",{class:"budget-bar",viewBox:"0 0 100 4",preserveAspectRatio:"none","aria-hi\
dden":"true",children:[i("rect",{class:"budget-left",width:"100",height:"4"}),i("rect",{class:part>=NEAR?"budget-near":"budget-spent",width:100*Math.min(1,part),
height:"4"})]}),i("span",{class:"fine",children:leftText(of)})]})}var HOUR=3600,emptySums=()=>({calls:0,failed:0,refused:0,cancelled:0,client_left:0,prompt_tokens:0,completion_tokens:0,cost:"0"});function sum(a,b){return{calls:a.
calls+b.calls,failed:a.failed+b.failed,refused:a.refused+b.refused,cancelled:a.cancelled+b.cancelled,client_left:a.client_left+b.client_left,prompt_tokens:a.prompt_tokens+
b.prompt_tokens,completion_tokens:a.completion_tokens+b.completion_tokens,cost:add(a.cost,b.cost)}}var completed=of=>of.calls-of.failed-of.refused-of.cancelled-
of.client_left;function errorRate(of){let asked=of.calls-of.refused;return asked>0?of.failed/asked:null}function firstHour(range,now){let last=Math.floor(now/HOUR)*
HOUR;if(range==="1h")return last-HOUR;if(range!=="30d")return last-RANGES[range]+HOUR;let day=new Date(now*1e3);return day.setHours(0,0,0,0),day.setDate(day.getDate()-
29),Math.floor(day.getTime()/HOUR/1e3)*HOUR}function hoursBetween(first,last){let hours=[];for(let hour=first;hour<=last;hour+=HOUR)hours.push(hour);return hours}
var stepOf=range=>range==="7d"?3*HOUR:range==="30d"?24*HOUR:HOUR;function bucketed(rows,first,last,step){let buckets=Array.from({length:Math.floor((last-first)/
step)+1},(_,i2)=>({from:first+i2*step,sums:emptySums()}));for(let row of rows){let bucket=buckets[Math.floor((row.hour-first)/step)];bucket&&(bucket.sums=sum(bucket.
sums,row))}return buckets}function byName(rows,by){let all=new Map;for(let row of rows){let id=row[by]??"",known=all.get(id)??{id,name:by==="key"&&row.key_name||
id,sums:emptySums()};known.sums=sum(known.sums,row),all.set(id,known)}return[...all.values()].sort((a,b)=>b.sums.calls-a.sums.calls||(a.id<b.id?-1:1))}var HEIGHT=200;function Charts({of,from,last,question}){let step=stepOf(question.range),buckets=bucketed(of,from,last,step),hours=hoursBetween(from,last),known=new Map(
of.map(row=>[row.hour,row])),percentile=name=>hours.map(hour=>known.get(hour)?.[name]??null),ends=(name,tone,value)=>({name,tone,values:buckets.map(({sums})=>value(
sums))}),pick=(start,length)=>{location.hash=runsOf(question,{from:String(start),to:String(start+length)})},bars={kind:"bars",places:buckets.map(bucket=>placeName(
bucket.from,step)),tick:tickOf(buckets.map(bucket=>bucket.from),question),onPick:i2=>pick(buckets[i2].from,step)},lines={kind:"lines",places:hours.map(hour=>placeName(
hour,3600)),tick:tickOf(hours,question),format:duration,onPick:i2=>pick(hours[i2],3600)};return i($,{children:[i("div",{class:"charts",children:[i(Picture,{...bars,
title:words.overview.calls,sums:!0,format:compact,series:[ends(words.runs.words.completed,"tone-good",completed),ends(words.overview.leftName,"tone-left",sums=>sums.
cancelled+sums.client_left),ends(words.runs.words.refused,"tone-warn",sums=>sums.refused),ends(words.runs.words.failed,"tone-bad",sums=>sums.failed)]}),i(Picture,
{...lines,title:words.overview.durations,series:[{name:words.overview.percentiles.p50,tone:"tone-good",values:percentile("p50_ms")},{name:words.overview.percentiles.
p95,tone:"part-1",values:percentile("p95_ms")},{name:words.overview.percentiles.p99,tone:"part-4",values:percentile("p99_ms")}]}),i(Picture,{...lines,title:words.
overview.first,series:[{name:words.overview.percentiles.p50,tone:"tone-good",values:percentile("first_token_p50_ms")},{name:words.overview.percentiles.p95,tone:"\
part-1",values:percentile("first_token_p95_ms")}]}),i(Picture,{...bars,title:words.overview.spend,format:value=>money(String(value)),series:[ends(words.overview.
spend,"part-2",sums=>Number(sums.cost))]})]}),i(HourTable,{of,question})]})}function Picture({title,...chart}){return i("figure",{class:"card",children:[i("figc\
aption",{class:"row wrap between",children:[i("h2",{children:title}),chart.series.length>1&&i(Legend,{of:chart.series.filter(({values})=>values.some(value=>value))})]}),
i(Chart,{...chart,height:HEIGHT,label:`${title}. ${words.overview.chart}`})]})}var placeName=(from,step)=>step>=86400?dayShort(1e3*from):`${time(from)} – ${clock(
from+step)}`;function tickOf(places,{range}){if(range==="1h"||range==="24h")return i2=>clock(places[i2]);let before="",names=places.map(at=>{let name=dayShort(1e3*
at);return name===before?null:(before=name,name)});return i2=>names[i2]}var ms=value=>value===null?words.units.none:duration(value);function HourTable({of,question}){
let[shown,setShown]=w(!1);return i("details",{class:"stack",onToggle:event=>setShown(event.currentTarget.open),children:[i("summary",{children:words.overview.asTable}),
shown&&i(Table,{caption:words.overview.asTable,rows:[...of].sort((a,b)=>b.hour-a.hour),id:row=>String(row.hour),columns:columns(question)})]})}function columns(question){
let figure=(title,cell)=>({title,cell,numeric:!0});return[{title:words.overview.hour,cell:row=>i("a",{href:runsOf(question,{from:String(row.hour),to:String(row.
hour+3600)}),children:time(row.hour)})},figure(words.overview.calls,row=>number(row.calls)),figure(words.overview.errors,row=>{let rate=errorRate(row);return rate===
null?words.units.none:percent(rate)}),figure(words.runs.words.failed,row=>number(row.failed)),figure(words.runs.words.refused,row=>number(row.refused)),figure(words.
overview.percentiles.p50,row=>ms(row.p50_ms)),figure(words.overview.percentiles.p95,row=>ms(row.p95_ms)),figure(words.overview.percentiles.p99,row=>ms(row.p99_ms)),
figure(words.overview.firstP50,row=>ms(row.first_token_p50_ms)),figure(words.overview.firstP95,row=>ms(row.first_token_p95_ms)),figure(words.overview.spend,row=>money(
row.cost))]}var BYS=["model","provider","key"],AGAIN=6e4;function questionOf(address){let range=address.get("range")??"",by=address.get("by")??"",only=Object.fromEntries(BYS.
map(name=>[name,address.get(name)]).filter(([,value])=>value));return{all:admin.value&&address.get("whose")!=="own",range:range in RANGES?range:"24h",by:BYS.includes(
by)?by:"model",only}}function addressOf({all,range,by,only}){return{...range==="24h"?{}:{range},...by==="model"?{}:{by},...admin.value&&!all?{whose:"own"}:{},...only}}
async function ask({all,range,by,only},signal){let now=Date.now()/1e3,from=firstHour(range,now),path=`/v1/${all?"admin/":""}calls/hours${query({from,to:Math.ceil(
now),...only})}`,[whole,parts]=await Promise.all([get(path,{signal}),get(`${path}&by=${by}`,{signal})]);return{from,last:Math.floor(now/3600)*3600,all:whole,parts}}
function OverviewPage({route}){let of=questionOf(route.query),address=addressOf(of),[turn,setTurn]=w(0),read=useLoad(signal=>ask(of,signal),[JSON.stringify(address),
of.all,turn]);S(()=>{let timer=setInterval(()=>document.visibilityState==="visible"&&setTurn(old=>old+1),AGAIN);return()=>clearInterval(timer)},[]);let change=to=>replace(
"overview",null,addressOf({...of,...to}));return i("div",{class:"page overview",children:[i("header",{class:"row wrap between",children:[i("h1",{children:words.
pages.overview}),i(Choices,{of,onChange:change,onRefresh:()=>setTurn(turn+1)})]}),admin.value&&of.all&&i(Alerts,{turn}),i(Only,{of,onChange:change}),i(State,{of:read,
empty:({all})=>all.total.calls===0,none:i(None,{}),children:data=>i($,{children:[i(Tiles,{of:data.all.total,question:of,from:data.from}),i(Charts,{of:data.all.data,
from:data.from,last:data.last,question:of}),i(Names,{of,parts:data.parts,from:data.from})]})}),admin.value&&of.all&&i(Providers,{turn}),admin.value&&of.all&&i(Budgets,
{turn}),!of.all&&me.value?.budget!=null&&i(OwnBudget,{turn})]})}function None(){return i(Empty,{title:words.overview.none,children:i("p",{children:words.overview.
noneText})})}function Choices({of,onChange,onRefresh}){return i("div",{class:"row wrap",children:[admin.value&&i("label",{children:[words.overview.whose,i("sele\
ct",{value:of.all?"all":"own",onChange:event=>onChange({all:event.currentTarget.value==="all"}),children:[i("option",{value:"all",children:words.usage.all}),i("\
option",{value:"own",children:words.usage.own})]})]}),i("label",{children:[words.range.title,i("select",{value:of.range,onChange:event=>onChange({range:event.currentTarget.
value}),children:Object.keys(RANGES).map(name=>i("option",{value:name,children:words.range.last[name]},name))})]}),i("button",{type:"button",onClick:onRefresh,children:[
i(Icon,{name:"again"}),words.overview.refresh]})]})}function Only({of,onChange}){let names=BYS.filter(by=>of.only[by]);return names.length===0?null:i("ul",{class:"\
chips",children:names.map(by=>i("li",{children:[words.overview.bys[by],": ",of.only[by],i("button",{type:"button",class:"bare","aria-label":fill(words.overview.
without,{name:of.only[by]}),onClick:()=>onChange({only:{...of.only,[by]:void 0}}),children:i(Icon,{name:"close"})})]},by))})}function runsOf(of,more){let only=Object.
fromEntries(Object.entries(of.only).filter(([,value])=>value));return href("runs",null,{...admin.value&&!of.all?{whose:"own"}:{},...only,...more})}var ms2=value=>value===
null?words.units.none:duration(value);function Tiles({of,question,from}){let rate=errorRate(of),since={from:String(from)};return i("dl",{class:"totals",children:[
i("div",{children:[i("dt",{children:words.overview.calls}),i("dd",{children:i("a",{class:"quiet",href:runsOf(question,since),children:number(of.calls)})}),of.cancelled+
of.client_left>0&&i("dd",{class:"fine",children:fill(words.overview.left,{n:number(of.cancelled+of.client_left)})})]}),i("div",{class:of.failed>0?"bad":void 0,children:[
i("dt",{children:words.overview.errors}),i("dd",{children:rate===null?words.units.none:percent(rate)}),of.failed>0&&i("dd",{class:"fine",children:i("a",{href:runsOf(
question,{...since,status:"failed"}),children:fill(words.overview.failed,{n:number(of.failed)})})}),of.refused>0&&i("dd",{class:"fine",children:i("a",{href:runsOf(
question,{...since,status:"refused"}),children:fill(words.overview.refused,{n:number(of.refused)})})})]}),i("div",{children:[i("dt",{children:words.overview.duration}),
i("dd",{children:ms2(of.p50_ms)}),i("dd",{class:"fine",children:fill(words.overview.p95p99,{p95:ms2(of.p95_ms),p99:ms2(of.p99_ms)})})]}),i("div",{children:[i("d\
t",{children:words.overview.first}),i("dd",{children:ms2(of.first_token_p50_ms)}),i("dd",{class:"fine",children:fill(words.overview.p95,{p95:ms2(of.first_token_p95_ms)})})]}),
i("div",{children:[i("dt",{children:words.overview.tokens}),i("dd",{children:compact(of.prompt_tokens+of.completion_tokens)}),i("dd",{class:"fine",children:fill(
words.runs.inOut,{in:compact(of.prompt_tokens),out:compact(of.completion_tokens)})})]}),i("div",{children:[i("dt",{children:words.overview.spend}),i("dd",{children:money(
of.cost)}),i("dd",{class:"fine",children:i("a",{href:href("usage"),children:words.pages.usage})})]})]})}function Names({of,parts,from}){let rows=byName(parts.data,
of.by),since={from:String(from)},only=to=>href("overview",null,addressOf({...of,only:{...of.only,...to}}));return i("section",{class:"stack",children:[i("header",
{class:"row wrap between",children:[i("h2",{children:words.overview.byTitles[of.by]}),i("div",{class:"row",role:"group","aria-label":words.overview.by,children:BYS.
filter(by=>by!=="key"||of.all).map(by=>i("a",{class:"button","aria-current":by===of.by?"true":void 0,href:href("overview",null,addressOf({...of,by})),children:words.
overview.bys[by]},by))})]}),i(Table,{caption:words.overview.byTitles[of.by],rows,id:row=>row.id,columns:[{title:words.overview.bys[of.by],cell:({id,name})=>id===
""?words.overview.unknown:i("a",{class:"name",href:only({[of.by]:id}),title:id,children:name})},{title:words.overview.calls,numeric:!0,cell:({sums})=>number(sums.
calls)},{title:words.overview.errors,numeric:!0,cell:({sums})=>{let rate=errorRate(sums);return rate===null?words.units.none:percent(rate)}},{title:words.runs.words.
failed,numeric:!0,cell:({sums})=>number(sums.failed)},{title:words.runs.words.refused,numeric:!0,cell:({sums})=>number(sums.refused)},{title:words.overview.tokens,
numeric:!0,cell:({sums})=>compact(sums.prompt_tokens+sums.completion_tokens)},{title:words.overview.spend,numeric:!0,cell:({sums})=>money(sums.cost)},{title:words.
pages.runs,cell:({id,name})=>id!==""&&i("a",{href:runsOf(of,{...since,[of.by]:id}),"aria-label":fill(words.overview.runsOf,{name}),children:words.pages.runs})}]})]})}
function Providers({turn}){let{data}=useHealth([turn]);return!data||data.data.length===0?null:i("section",{class:"card stack","aria-label":words.overview.providers,
children:[i("header",{class:"row wrap between",children:[i("h2",{children:words.overview.providers}),i("a",{href:href("models",null,{show:"providers"}),children:words.
models.providers})]}),i("ul",{class:"provider-list",children:data.data.map(({name,history})=>i("li",{children:[i("a",{class:"quiet name",href:href("overview",null,
{provider:name}),children:name}),i(HealthStrip,{of:history,from:data.from,to:data.to})]},name))})]})}function OwnBudget({turn}){let read=useLoad(signal=>get("/v\
1/usage?limit=1",{signal}),[turn]);return read.data?.budget?i(BudgetBars,{of:read.data.budget}):null}export{OverviewPage as default,runsOf};
