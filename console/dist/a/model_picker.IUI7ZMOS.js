import{HealthBadge}from"./chunk.MCLTWFCY.js";import"./chunk.TZMBYRJR.js";import{catalog,readModels}from"./chunk.N6WKZRS3.js";import{prefer,preferences}from"./chunk.J4YQBIBB.js";
import{Icon,K,Loading,S,U,compact,fill,i,j,money,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";function ModelPicker({value,choose}){let[find,setFind]=w(""),[at,setAt]=w(null),id=K(),grid=U(null),input=U(null),fine=matchMedia("(pointer: fine)").matches;S(()=>{
readModels().catch(()=>{})},[]),j(()=>{fine&&input.current?.focus()},[]);let found=groupsOf(catalog.value??[],find,preferences.value.favourites),rows=found.flatMap(
group=>group.models.map(model=>({model,key:`${group.title} ${model.id}`}))),wanted=rows.findIndex(row=>row.key===at),start=find?0:Math.max(0,rows.findIndex(row=>row.
model.id===value)),active=rows.length===0?-1:wanted>=0?wanted:start,typed=find.trim();S(()=>{grid.current?.querySelector("[data-active]")?.scrollIntoView({block:"\
nearest"})},[active,find,rows.length]);let steps={ArrowDown:1,ArrowUp:-1,PageDown:8,PageUp:-8},onKeyDown=event=>{event.key==="Enter"?(event.preventDefault(),rows[active]?
choose(rows[active].model.id):typed&&choose(typed)):event.key in steps&&rows.length>0&&(event.preventDefault(),setAt(rows[Math.min(rows.length-1,Math.max(0,active+
steps[event.key]))].key))},place=-1;return i("div",{class:"picker",children:[i("input",{ref:input,autofocus:fine,type:"text",role:"combobox",autocomplete:"off",
"aria-label":words.models.search,placeholder:words.models.search,"aria-haspopup":"grid","aria-expanded":rows.length>0,"aria-controls":`${id}-grid`,"aria-actived\
escendant":active>=0?`${id}-${active}`:void 0,value:find,onInput:event=>{setFind(event.currentTarget.value),setAt(null)},onKeyDown}),catalog.value===null&&i(Loading,
{}),i("div",{class:"picker-rows",role:"grid",id:`${id}-grid`,"aria-label":words.chat.model,ref:grid,tabIndex:-1,children:found.map(group=>i("div",{role:"rowgrou\
p","aria-label":group.title,children:[i("p",{class:"fine","aria-hidden":"true",dir:"auto",children:group.title}),group.models.map(model=>(place+=1,i(Row,{id:`${id}\
-${place}`,model,active:place===active,chosen:model.id===value,choose:()=>choose(model.id)},model.id)))]},group.title))}),catalog.value!==null&&rows.length===0&&
i("p",{role:"status",children:[words.models.notFound," ",typed&&i("button",{type:"button",onClick:()=>choose(typed),children:fill(words.models.ask,{model:typed})})]})]})}
function Row({id,model,active,chosen,choose}){let liked=preferences.value.favourites.includes(model.id),star=fill(liked?words.models.unlike:words.models.like,{model:model.
id});return i("div",{role:"row",class:"picker-row","data-active":active||void 0,"aria-selected":chosen,children:[i("div",{role:"gridcell",id,onClick:choose,children:[
i("strong",{dir:"auto",children:model.id}),i("span",{class:"fine",children:[model.default&&i("span",{class:"badge",children:words.models.default}),factsOf(model).
join(" · ")]}),model.health!=="fine"&&i(HealthBadge,{of:model.health})]}),i("div",{role:"gridcell",children:i("button",{type:"button",class:"bare star",tabIndex:active?
0:-1,"aria-pressed":liked,"aria-label":star,title:star,onClick:()=>like(model.id,!liked),children:i(Icon,{name:"star"})})})]})}function like(model,liked){let others=preferences.
value.favourites.filter(one=>one!==model);prefer({favourites:liked?[...others,model]:others})}function factsOf(model){return[model.price&&fill(words.models.priceText,
{input:money(model.price.input),output:money(model.price.output)}),model.context_window&&fill(words.models.context,{n:compact(model.context_window)}),...model.capabilities.
map(one=>words.models.capabilities[one]),model.health==="fine"&&words.models.health.fine].filter(fact=>!!fact)}function rankOf(model,find){let typed=find.trim().
toLowerCase(),name=model.id.toLowerCase(),last=name.slice(name.lastIndexOf("/")+1),words_=typed.split(/\s+/);if(name===typed)return 0;if(last===typed)return 1;if(name.
startsWith(typed)||last.startsWith(typed))return 2;if(words_.every(word=>name.includes(word)))return 3;let text=`${name} ${model.owned_by} ${factsOf(model).join(
" ")}`.toLowerCase();return words_.every(word=>text.includes(word))?4:5}function groupsOf(models,find,favourites){let ranks=new Map(models.map(model=>[model,rankOf(
model,find)])),rank=model=>ranks.get(model),found=models.filter(model=>model.kind!=="embedding"&&rank(model)<5).sort((a,b)=>rank(a)-rank(b)),groups=new Map;for(let model of found)
groups.set(model.owned_by,[...groups.get(model.owned_by)??[],model]);let liked=found.filter(model=>favourites.includes(model.id));return[...liked.length?[{title:words.
models.favourites,models:liked}]:[],...[...groups].map(([title,of])=>({title,models:of}))].sort((a,b)=>rank(a.models[0])-rank(b.models[0]))}export{ModelPicker as default,factsOf,groupsOf};
