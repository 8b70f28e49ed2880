import{useLoad}from"./chunk.HV6AWK6K.js";import{$,clock,duration,fill,get,i,money,number,time,words}from"./chunk.QMEWQLJE.js";function useHealth(on=[]){return useLoad(signal=>get("/v1/admin/providers",{signal}),on)}var WIDTH=288,ALL_OF_IT=.99,LEAST=1;function HealthStrip({of,from,to}){
let at=time2=>WIDTH*(Math.max(time2,from)-from)/(to-from),drawn=[...of].sort((a,b)=>+(a.state!=="fine")-+(b.state!=="fine"));return i("figure",{class:"health-st\
rip",children:[i("svg",{viewBox:`0 0 ${WIDTH} 20`,preserveAspectRatio:"none",role:"img","aria-label":healthText(of,from,to),children:[i("rect",{class:"unknown",
x:"0",y:"8",width:WIDTH,height:"4"}),drawn.map(one=>{let high=one.state==="fine"?10:20;return i("rect",{class:one.state,x:at(one.from),y:20-high,width:Math.max(
LEAST,at(one.to)-at(one.from)),height:high,children:i("title",{children:fill(words.health.interval,{state:words.health.states[one.state],from:clock(one.from),to:clock(
one.to)})})},one.from)})]}),i("figcaption",{class:"fine",children:healthText(of,from,to)})]})}function healthText(of,from,to){let sums=new Map,known=0;for(let one of of){
let time3=Math.max(0,Math.min(one.to,to)-Math.max(one.from,from));sums.set(one.state,(sums.get(one.state)??0)+time3),known+=time3}if(known===0)return words.health.
unknown;let bad=[...sums].filter(([state])=>state!=="fine"),whole=known>=ALL_OF_IT*(to-from),time2=took(known);if(bad.length===0)return whole?words.health.allFine:
fill(words.health.fineOf,{time:time2});let share=100*(sums.get("fine")??0)/known;return fill(whole?words.health.some:words.health.someOf,{time:time2,share:number(
Math.floor(share)),bad:bad.map(([state,time3])=>fill(words.health.part,{state:words.health.states[state],time:took(time3)})).join(", ")})}function took(seconds){
return seconds<120?duration(1e3*seconds):seconds<7200?fill(words.health.minutes,{n:number(Math.round(seconds/60))}):fill(words.health.hours,{n:number(Math.round(
seconds/3600))})}var text=value=>value==null?"":String(value);function allowanceFields(of){return{requests:text(of?.limits?.requests?.count),requestsWindow:of?.limits?.requests?.
window??"1m",tokens:text(of?.limits?.tokens?.count),tokensWindow:of?.limits?.tokens?.window??"1m",concurrent:text(of?.limits?.concurrent),money:text(of?.budget?.
money),budgetTokens:text(of?.budget?.tokens),budgetWindow:of?text(of.budget?.window):"30d"}}var rate=(count,window)=>count?{count:Number(count),window}:void 0;function allowanceBody(fields,of){
let has_budget=fields.money!==""||fields.budgetTokens!=="";return{limits:{requests:rate(fields.requests,fields.requestsWindow),tokens:rate(fields.tokens,fields.
tokensWindow),concurrent:fields.concurrent?Number(fields.concurrent):void 0,max_body:of?.limits?.max_body??void 0},budget:{money:fields.money||void 0,tokens:fields.
budgetTokens?Number(fields.budgetTokens):void 0,window:has_budget&&fields.budgetWindow||void 0,each:of?.budget?.each??void 0}}}var namesOf=text2=>text2.split(/[\n,]/).
map(name=>name.trim()).filter(Boolean),window_field={pattern:"[0-9]+[smhd]",title:words.keys.windowHint,placeholder:words.keys.windowExample};function AllowanceInputs({
of,fields,onChange}){let field=(name,more)=>i("input",{value:fields[name],onInput:event=>onChange({[name]:event.currentTarget.value}),...more}),count={type:"num\
ber",min:1,step:1};return i($,{children:[i("details",{open:of!==null&&of.limits!==null,children:[i("summary",{children:words.keys.limits}),i("div",{class:"pairs",
children:[i("label",{children:[words.keys.requests,field("requests",count)]}),i("label",{children:[words.keys.window,field("requestsWindow",window_field)]}),i("\
label",{children:[words.keys.tokens,field("tokens",count)]}),i("label",{children:[words.keys.window,field("tokensWindow",window_field)]}),i("label",{children:[words.
keys.concurrent,field("concurrent",count)]})]})]}),i("details",{open:of!==null&&of.budget!==null,children:[i("summary",{children:words.keys.budget}),i("div",{class:"\
pairs",children:[i("label",{children:[words.keys.money,field("money",{inputMode:"decimal",pattern:"[0-9]+(\\.[0-9]{1,9})?"})]}),i("label",{children:[words.keys.
tokens,field("budgetTokens",count)]}),i("label",{children:[words.keys.renews,field("budgetWindow",window_field)]})]})]})]})}function linesOf({limits,budget,keep}){
let lines=[],limit=(words_,of)=>of&&lines.push(fill(words_,{n:number(of.count),window:of.window}));limit(words.keys.requestsIn,limits?.requests),limit(words.keys.
tokensIn,limits?.tokens),limits?.concurrent&&lines.push(fill(words.keys.atOnce,{n:number(limits.concurrent)}));let window=budget?.window?fill(words.keys.every,{
window:budget.window}):"";budget?.money&&lines.push(fill(words.keys.budgetMoney,{n:money(budget.money),window})),budget?.tokens&&lines.push(fill(words.keys.budgetTokens,
{n:number(budget.tokens),window}));let each=budget?.each;return each&&lines.push(fill(words.keys.budgetEach,{n:money(each.money),tag:each.tag,window:fill(words.
keys.every,{window:each.window})})),keep&&lines.push(fill(words.keys.keeps,{time:keep})),lines}function allowanceLines(of,left){let lines=linesOf(of);return lines.
length===0?words.units.none:i("ul",{class:"plain fine",children:[lines.map(line=>i("li",{children:line},line)),left&&i("li",{children:i("strong",{children:leftText(
left)})})]})}function leftText({cost,tokens,renewed_at}){return[cost&&fill(words.overview.leftOf,{left:money(cost.left),limit:money(cost.limit)}),tokens&&fill(words.
overview.leftOfTokens,{left:number(tokens.left),limit:number(tokens.limit)}),renewed_at!==null&&fill(words.usage.renewed,{when:time(renewed_at)})].filter(Boolean).
join(" · ")}export{allowanceFields,allowanceBody,namesOf,AllowanceInputs,allowanceLines,leftText,useHealth,HealthStrip};
