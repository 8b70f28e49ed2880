import{$,U,fill,i,j,money,number,time,w,words}from"./chunk.QMEWQLJE.js";var TOP=10,BOTTOM=24,LINES=4,LABEL=96,STEPS=[1,2,3,4,6,8,12,24,30,60];function Chart({kind,label,places,tick,series,format,height=240,sums,onPick}){let chart=U(
null),width=useWidth(chart),known=i2=>series.map(one=>one.values[i2]??0),total=i2=>known(i2).reduce((a,b)=>a+b,0),top=axisTop(Math.max(0,...places.map((_,i2)=>kind===
"bars"?total(i2):Math.max(...known(i2))))),marks=Array.from({length:LINES+1},(_,i2)=>top*i2/LINES),left=12+7*Math.max(...marks.map(mark=>format(mark).length)),step=(width-
left)/places.length,y=value=>TOP+(height-TOP-BOTTOM)*(1-value/top),middle=i2=>left+(i2+.5)*step;return i("svg",{ref:chart,class:"chart",role:"img","aria-label":label,
viewBox:`0 0 ${width} ${height}`,height,children:[marks.map(mark=>i("g",{children:[i("line",{class:"chart-line",x1:left,x2:width,y1:y(mark),y2:y(mark)}),i("text",
{class:"chart-text",x:left-6,y:y(mark)+4,"text-anchor":"end",children:format(mark)})]},mark)),kind==="lines"&&series.map(one=>i(Line,{of:one,x:middle,y},one.name)),
places.map((place,i2)=>i("g",{class:`chart-place ${onPick?"picked":""}`,onClick:onPick&&(()=>onPick(i2)),children:[i("title",{children:[sums?`${place}: ${format(
total(i2))}`:place,...series.filter(one=>kind==="bars"?one.values[i2]>0:one.values[i2]!==null).map(one=>`${one.name}: ${format(one.values[i2])}`)].join(`
`)}),i("rect",{class:"chart-hover",x:left+i2*step,y:TOP,width:step,height:height-TOP-BOTTOM}),kind==="bars"&&i(Bar,{of:series,place:i2,from:left+i2*step,step,y})]},
i2)),ticks(places.length,tick,width-left).map(({i:i2,text})=>i("text",{class:"chart-text",x:Math.max(left,middle(i2)),y:height-8,"text-anchor":middle(i2)-left<LABEL/
3?"start":width-middle(i2)<LABEL/3?"end":"middle",children:text},i2))]})}function Bar({of,place,from,step,y}){let gap=step>6?Math.min(step*.25,8):step*.1,base=0;
return i($,{children:of.map(one=>{let value=one.values[place]??0;if(value<=0)return null;let bottom=y(base),top=y(base+=value);return i("rect",{class:`chart-bar\
 ${one.tone}`,x:from+gap/2,width:Math.max(step-gap,.5),y:top,height:Math.max(bottom-top,.5)},one.name)})})}function Line({of,x,y}){let path=[],dots=[];return of.
values.forEach((value,i2)=>{if(value===null)return;let before=i2>0&&of.values[i2-1]!==null,after=(of.values[i2+1]??null)!==null;!before&&!after&&dots.push({at:i2,
value}),path.push(`${before?"L":"M"}${x(i2).toFixed(1)} ${y(value).toFixed(1)}`)}),i("g",{class:of.tone,children:[i("path",{class:"chart-path",d:path.join("")}),
dots.map(({at,value})=>i("circle",{class:"chart-dot",cx:x(at),cy:y(value),r:2.5},at))]})}function ticks(places,tick,width){let all=Array.from({length:places},(_,i2)=>({
i:i2,text:tick(i2)})).filter(one=>one.text!==null),least=Math.ceil(all.length*LABEL/width),each=STEPS.find(step=>step>=least)??least;return all.filter((_,i2)=>i2%
each===0)}function useWidth(of){let[width,setWidth]=w(720);return j(()=>{let observer=new ResizeObserver(([entry])=>setWidth(Math.max(240,entry.contentRect.width)));
return observer.observe(of.current),()=>observer.disconnect()},[]),width}function Legend({of}){return i("ul",{class:"legend",children:of.map(({name,tone})=>i("l\
i",{children:[i("span",{class:`swatch ${tone}`}),name]},name))})}function axisTop(largest){if(largest<=0)return 1;let power=10**Math.floor(Math.log10(largest));
for(let times of[1,1.2,1.6,2,2.4,3,4,6,8])if(times*power>=largest)return times*power;return 10*power}function BudgetBars({of}){return i("section",{class:"card budget",children:[i("header",{class:"row wrap between",children:[i("h2",{children:words.usage.budget}),
of.renewed_at!==null&&i("p",{class:"fine",children:fill(words.usage.renewed,{when:time(of.renewed_at)})})]}),of.cost&&i(Bar2,{title:words.usage.measures.cost,of:of.
cost,format:value=>money(String(value))}),of.tokens&&i(Bar2,{title:words.usage.measures.tokens,of:of.tokens,format:value=>number(Number(value))})]})}function Bar2({
title,of,format}){let limit=Number(of.limit)||1,share=value=>100*Math.min(1,Math.max(0,Number(value)/limit)),spent=share(of.spent),reserved=Math.min(100-spent,share(
of.reserved));return i("div",{class:"stack",children:[i("h3",{children:title}),i("svg",{class:"budget-bar",viewBox:"0 0 100 4",preserveAspectRatio:"none","aria-\
hidden":"true",children:[i("rect",{class:"budget-left",width:"100",height:"4"}),i("rect",{class:"budget-spent",width:spent,height:"4"}),i("rect",{class:"budget-\
reserved",x:spent,width:reserved,height:"4"})]}),i("dl",{class:"budget-figures",children:[i(Figure,{name:"spent",value:format(of.spent)}),i(Figure,{name:"reserv\
ed",value:format(of.reserved)}),i(Figure,{name:"left",value:format(of.left)}),i(Figure,{name:"limit",value:format(of.limit)})]})]})}function Figure({name,value}){
return i("div",{children:[i("dt",{children:[name!=="limit"&&i("span",{class:`swatch budget-${name}`}),words.usage[name]]}),i("dd",{children:value})]})}function parts(text){let[whole,rest=""]=text.split(".");return[BigInt(whole+rest),rest.length]}function add(a,b){let[x,places]=parts(a),[y,other]=parts(b);for(;places<
other;places++)x*=10n;for(;other<places;other++)y*=10n;let sum=x+y,minus=sum<0n,digits=(minus?-sum:sum).toString().padStart(places+1,"0"),whole=digits.slice(0,digits.
length-places),rest=digits.slice(digits.length-places).replace(/0+$/,"");return`${minus?"-":""}${whole}${rest&&"."}${rest}`}function subtract(a,b){return add(a,
b.startsWith("-")?b.slice(1):`-${b}`)}export{Chart,Legend,add,subtract,BudgetBars};
