import{BudgetBars,Chart,Legend,add,subtract}from"./chunk.DWTW3EUF.js";import{nameOf,readGroups}from"./chunk.HWIXBIY5.js";import{csvLines}from"./chunk.23CIKIEQ.js";
import{Table}from"./chunk.PHD44QW4.js";import{save}from"./chunk.2GJ4U3AR.js";import{useLoad}from"./chunk.HV6AWK6K.js";import{admin,href,me,replace}from"./chunk.EV7FTPOP.js";
import{announce}from"./chunk.I223LIPR.js";import{$,Empty,Icon,State,compact,count,fill,get,i,money,number,query,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var DAYS_MAX=366,PARTS=6;function emptyRow(){return{calls:0,calls_estimated:0,calls_unpriced:0,input_tokens:0,output_tokens:0,cached_tokens:0,reasoning_tokens:0,
cost:"0"}}function sum(a,b){return{...a,calls:a.calls+b.calls,calls_estimated:a.calls_estimated+b.calls_estimated,calls_unpriced:a.calls_unpriced+b.calls_unpriced,
input_tokens:a.input_tokens+b.input_tokens,output_tokens:a.output_tokens+b.output_tokens,cached_tokens:a.cached_tokens+b.cached_tokens,reasoning_tokens:a.reasoning_tokens+
b.reasoning_tokens,cost:add(a.cost,b.cost)}}function measured(row,measure){switch(measure){case"tokens":return row.input_tokens+row.output_tokens;case"cost":return Number(
row.cost);case"calls":return row.calls}}function daysBetween(from,to){let days=[];for(let at=Date.parse(from);at<=Date.parse(to)&&days.length<DAYS_MAX;at+=864e5)
days.push(new Date(at).toISOString().slice(0,10));return days}function dayBefore(day,days){return new Date(Date.parse(day)-days*864e5).toISOString().slice(0,10)}
function nameOf2(row,stack){return row[stack]??""}function byName(rows,stack,measure){let sums=new Map;for(let row of rows){let name=nameOf2(row,stack);sums.set(
name,sum(sums.get(name)??emptyRow(),row))}return[...sums].map(([name,row])=>({name,row})).sort((a,b)=>measured(b.row,measure)-measured(a.row,measure)||(a.name<b.
name?-1:1))}function stacked(days,totals,rows,stack,measure){let place=new Map(days.map((day,i2)=>[day,i2])),names=byName(rows,stack,measure).slice(0,PARTS).map(
one=>one.name),parts=names.map(name=>({name,total:0,values:days.map(()=>0)})),rest={name:null,total:0,values:days.map(()=>0)};for(let row of totals){let at=place.
get(row.day??"");at!==void 0&&(rest.values[at]+=measured(row,measure))}for(let row of rows){let at=place.get(row.day??""),part=parts[names.indexOf(nameOf2(row,stack))];
if(at===void 0||!part)continue;let value=measured(row,measure);part.values[at]+=value,part.total+=value,rest.values[at]-=value}rest.values=rest.values.map(value=>value>
1e-9?value:0),rest.total=rest.values.reduce((a,b)=>a+b,0);let shown=parts.filter(part=>part.total>0);return rest.total>0?[...shown,rest]:shown}var COLUMNS=["cal\
ls","calls_estimated","calls_unpriced","input_tokens","output_tokens","cached_tokens","reasoning_tokens","cost"];function csv(rows,stack){let lines=rows.map(row=>[
row.day??"",nameOf2(row,stack),...COLUMNS.map(name=>String(row[name]))]);return csvLines([["day",stack,...COLUMNS],...lines])}function missing(total,rows){let known=rows.
reduce(sum,emptyRow());return{calls:total.calls-known.calls,calls_estimated:total.calls_estimated-known.calls_estimated,calls_unpriced:total.calls_unpriced-known.
calls_unpriced,input_tokens:total.input_tokens-known.input_tokens,output_tokens:total.output_tokens-known.output_tokens,cached_tokens:total.cached_tokens-known.
cached_tokens,reasoning_tokens:total.reasoning_tokens-known.reasoning_tokens,cost:subtract(total.cost,known.cost)}}var RANGES=[7,30,90,366],MEASURES=["tokens","cost","calls"],ROWS=1e3,today=()=>new Date().toISOString().slice(0,10);function stacks(all=admin.value){let tags=(me.
value?.usage_tags??[]).map(name=>`tag.${name}`);return["model",...all?["key","group"]:[],...tags]}function stackWords(stack){let{usage}=words;if(stack==="model")
return[usage.model,usage.byModel,usage.noKey];if(stack==="key")return[usage.key,usage.byKey,usage.noKey];if(stack==="group")return[usage.group,usage.byGroup,usage.
noGroup];let tag=stack.slice(4);return[tag,fill(usage.byTag,{tag}),fill(usage.noTag,{tag})]}var stackWord=stack=>stackWords(stack)[0],byWord=stack=>stackWords(stack)[1],
noWord=stack=>stackWords(stack)[2],usual={range:30,measure:"tokens",stack:"model"};function questionOf(address){let one=(name,of,otherwise)=>of.find(value=>String(
value)===address.get(name))??otherwise;return{all:admin.value&&address.get("whose")!=="own",range:one("days",RANGES,usual.range),measure:one("show",MEASURES,usual.
measure),stack:one("by",stacks(),usual.stack)}}function addressOf({all,range,measure,stack}){return{...admin.value&&!all?{whose:"own"}:{},...range===usual.range?
{}:{days:String(range)},...measure===usual.measure?{}:{show:measure},...stack===usual.stack?{}:{by:stack}}}function Usage({route}){let question=questionOf(route.
query),{all,range,measure,stack}=question,change=to=>replace("usage",null,addressOf({...question,...to})),choices=stacks(all),by=choices.includes(stack)?stack:"\
model",read=useLoad(async signal=>{let path=all?"/v1/admin/usage":"/v1/usage",span={from:dayBefore(today(),range-1),to:today(),limit:ROWS},[days,parts,groups]=await Promise.
all([get(`${path}${query({...span,group:"day"})}`,{signal}),get(`${path}${query({...span,group:"day"})}&group=${by}`,{signal}),by==="group"?readGroups(signal):[]]);
return{days,parts,names:new Map(groups.map(group=>[group.id,nameOf(group)]))}},[all,range,by]);return i("div",{class:"page usage",children:[i("header",{class:"r\
ow wrap between",children:[i("h1",{children:words.pages.usage}),i("div",{class:"row wrap",children:[admin.value&&i(Choice,{label:words.usage.whose,value:all?"al\
l":"own",onChange:value=>change({all:value==="all"}),of:[["all",words.usage.all],["own",words.usage.own]]}),i(Choice,{label:words.usage.range,value:String(range),
onChange:value=>change({range:Number(value)}),of:RANGES.map(days=>[String(days),count(days,words.usage.days)])}),i(Choice,{label:words.usage.measure,value:measure,
onChange:value=>change({measure:value}),of:MEASURES.map(name=>[name,words.usage.measures[name]])}),choices.length>1&&i(Choice,{label:words.usage.by,value:by,onChange:value=>change(
{stack:value}),of:choices.map(name=>[name,stackWord(name)])})]})]}),i(State,{of:read,children:({days,parts,names})=>i($,{children:[days.budget&&i(BudgetBars,{of:days.
budget}),days.data.length===0?i(Empty,{title:words.usage.none,children:i("p",{children:words.usage.noneText})}):i(Sums,{days,parts,names,by,measure,all})]})})]})}
function Choice({label,value,of,onChange}){return i("label",{children:[label,i("select",{value,onChange:event=>onChange(event.currentTarget.value),children:of.map(
([name,text])=>i("option",{value:name,children:text},name))})]})}var dates=new Intl.DateTimeFormat(void 0,{day:"numeric",month:"short",timeZone:"UTC"}),dayFormat=day=>dates.
format(Date.parse(day)),formats={tokens:compact,calls:compact,cost:value=>money(String(value))},runsOf=(all,more)=>href("runs",null,{...admin.value&&!all?{whose:"\
own"}:{},...more}),spanOfDays=(from,to)=>({from:String(Date.parse(from)/1e3),to:String(Date.parse(to)/1e3+86400)});function Sums({days,parts,names,by,measure,all}){
let total=days.data.reduce(sum,emptyRow()),shown=daysBetween(days.from,days.to),series=stacked(shown,days.data,parts.data,by,measure).map(({name,values},place)=>({
name:name===null?words.usage.others:name===""?noWord(by):names.get(name)??name,tone:name===null?"part-rest":`part-${place}`,values})),label=fill(words.usage.chart,
{what:words.usage.measures[measure],from:dayFormat(days.from),to:dayFormat(days.to),total:totalOf(total,measure)});return i($,{children:[i(Totals,{of:total}),i(
"figure",{class:"card",children:[i("figcaption",{class:"row wrap between",children:[i("h2",{children:fill(words.usage.byDay,{what:words.usage.measures[measure]})}),
i(Legend,{of:series})]}),i(Chart,{kind:"bars",label,places:shown.map(dayFormat),tick:i2=>dayFormat(shown[i2]),series,sums:!0,format:formats[measure]})]}),i("sec\
tion",{class:"stack",children:[i("header",{class:"row wrap between",children:[i("h2",{children:byWord(by)}),i("button",{type:"button",onClick:()=>download(parts.
data,by,days),children:[i(Icon,{name:"down"}),words.usage.csv]})]}),i(NameTable,{total,parts,names,by,measure,all})]}),i("details",{class:"stack",children:[i("s\
ummary",{children:words.usage.asTable}),i(Table,{caption:words.usage.asTable,id:row=>row.day,rows:[...days.data].sort((a,b)=>a.day<b.day?1:-1),columns:[{title:words.
usage.day,cell:row=>i("a",{href:runsOf(all,spanOfDays(row.day,row.day)),children:dayFormat(row.day)})},...figures]})]})]})}function totalOf(row,measure){switch(measure){case"\
tokens":return number(row.input_tokens+row.output_tokens);case"cost":return money(row.cost);case"calls":return number(row.calls)}}function download(rows,by,days){
save(new Blob([csv(rows,by)],{type:"text/csv"}),`usage-${days.from}-${days.to}.csv`),announce(words.usage.saved)}function Totals({of}){return i("dl",{class:"tot\
als",children:[i("div",{children:[i("dt",{children:words.usage.measures.calls}),i("dd",{children:number(of.calls)})]}),i("div",{children:[i("dt",{children:words.
usage.input}),i("dd",{children:number(of.input_tokens)}),of.cached_tokens>0&&i("dd",{class:"fine",children:fill(words.usage.cached,{n:number(of.cached_tokens)})})]}),
i("div",{children:[i("dt",{children:words.usage.output}),i("dd",{children:number(of.output_tokens)}),of.reasoning_tokens>0&&i("dd",{class:"fine",children:fill(words.
usage.reasoning,{n:number(of.reasoning_tokens)})}),of.calls_estimated>0&&i("dd",{class:"fine unsure",children:count(of.calls_estimated,words.usage.estimated)})]}),
i("div",{children:[i("dt",{children:words.usage.measures.cost}),i("dd",{children:of.calls_unpriced===of.calls?words.units.none:money(of.cost)}),of.calls_unpriced>
0&&i("dd",{class:"fine unsure",children:count(of.calls_unpriced,words.usage.unpriced)})]})]})}var figures=[{title:words.usage.measures.calls,numeric:!0,cell:row=>number(
row.calls)},{title:words.usage.input,numeric:!0,cell:row=>number(row.input_tokens)},{title:words.usage.output,numeric:!0,cell:row=>number(row.output_tokens)},{title:words.
usage.measures.cost,numeric:!0,cell:row=>row.calls_unpriced===row.calls&&row.calls>0?words.units.none:money(row.cost)},{title:words.usage.estimatedCalls,numeric:!0,
cell:row=>number(row.calls_estimated)},{title:words.usage.unpricedCalls,numeric:!0,cell:row=>number(row.calls_unpriced)}];function NameTable({total,parts,names,
by,measure,all}){let span=spanOfDays(parts.from,parts.to),rows=byName(parts.data,by,measure).map(({name,row})=>({id:name,name:name===""?noWord(by):names.get(name)??
name,runs:name===""||by.startsWith("tag.")?null:runsOf(all,{[by]:name,...span}),row}));return parts.has_more&&rows.push({id:words.usage.others,name:words.usage.
others,runs:null,row:missing(total,parts.data)}),i(Table,{caption:byWord(by),rows,id:row=>row.id,columns:[{title:stackWord(by),cell:({id,name,runs})=>runs===null?
name:i("a",{class:"name",href:runs,title:id,children:name})},...figures.map(column=>({...column,cell:row=>column.cell(row.row)}))]})}export{Usage as default};
