import{go,may}from"./chunk.EV7FTPOP.js";import{More,useAction,useList}from"./chunk.7L7ZIUJW.js";import"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";
import{$,Icon,Refused,S,State,U,b,fill,get,i,query,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";function group(messages){let turns=[],of_run=new Map;for(let message of messages){let known=message.run_id===null?void 0:of_run.get(message.run_id);if(known){known.
messages.push(message),known.id=message.id;continue}let turn={id:message.id,messages:[message],parent:null,children:[],lane:0,row:0,latest:""};turns.push(turn),
message.run_id!==null&&of_run.set(message.run_id,turn)}return turns}function link(turns){let of_message=new Map;for(let turn of turns)for(let message of turn.messages)
of_message.set(message.id,turn);let roots=[];for(let turn of turns){let id=turn.messages[0].parent_id,parent=id===null?void 0:of_message.get(id);parent&&parent!==
turn?(turn.parent=parent,parent.children.push(turn)):roots.push(turn)}return roots}function layOut(messages){let rows=[],waiting=link(group(messages)).map(turn=>({
turn,lane:0})).reverse();for(let next=waiting.pop();next;next=waiting.pop()){let{turn,lane}=next,last=turn.children.length-1;turn.lane=Math.min(lane,5),turn.row=
rows.length,rows.push(turn);for(let i2=last;i2>=0;i2--)waiting.push({turn:turn.children[i2],lane:i2===last?lane:lane+1})}for(let turn of rows.toReversed())turn.
latest=turn.children.reduce((best,one)=>one.latest>best?one.latest:best,turn.id);return rows}function leafOf(turn){let at=turn;for(;;){let next=at.children.find(
one=>one.latest===at.latest);if(!next)return at;at=next}}function pathTo(rows,message){let path=new Set,at=rows.find(turn=>turn.messages.some(one=>one.id===message))??
null;for(;at;at=at.parent)path.add(at);return path}function moveFrom(rows,at,key,path){let siblings=at.parent?at.parent.children:rows.filter(turn=>!turn.parent),
place=siblings.indexOf(at);switch(key){case"ArrowUp":return at.parent??siblings[place-1]??at;case"ArrowDown":return at.children.find(turn=>path.has(turn))??at.children.
at(-1)??at;case"ArrowLeft":return siblings[place-1]??at;case"ArrowRight":return siblings[place+1]??at;case"Home":return rows[0];case"End":return leafOf(at)}}function labelOf(turn){
return turn.messages.find(message=>message.role==="user")??turn.messages[0]}var TURNS=1e3,ROW=36,LANE=14,EDGE=12;function Branches({conversation,leaf,newest,onLeaf}){let list=useList((after,signal)=>get(`/v1/conversations/${conversation}\
/tree${query({limit:TURNS,after:after??void 0})}`,{signal}),[conversation,newest]);return i("section",{class:"branch-side","aria-label":words.branches.title,children:[
i(State,{of:list,empty:data=>data.length===0,children:data=>i(Tree,{conversation,messages:data,leaf,onLeaf})}),i(More,{of:list})]})}var moves=["ArrowUp","ArrowD\
own","ArrowLeft","ArrowRight","Home","End"];function Tree({conversation,messages,leaf,onLeaf}){let rows=b(()=>layOut(messages),[messages]),path=b(()=>pathTo(rows,
leaf??messages.at(-1).id),[rows,leaf]),shown=[...path][0]??rows.at(-1),[at,setAt]=w(shown.id),here=rows.find(turn=>turn.id===at)??shown,list=U(null),fork=useAction();
S(()=>setAt(shown.id),[shown.id]);let press=event=>{if(!moves.includes(event.key))return;event.preventDefault();let next=moveFrom(rows,here,event.key,path);setAt(
next.id),list.current?.querySelectorAll("button")[next.row]?.focus()},forkHere=()=>fork.run(async()=>{let made=await get(`/v1/conversations/${conversation}/fork`,
{method:"POST",body:{at:here.id},headers:{"Idempotency-Key":crypto.randomUUID()}});announce(words.branches.forked),go("chat",made.id)});return i($,{children:[i(
"p",{class:"fine",children:words.branches.help}),i("div",{class:"branch-tree",children:[i(Lines,{rows,path}),i("ol",{ref:list,onKeyDown:press,children:rows.map(
turn=>i(Node,{turn,tabbable:turn===here,onPath:path.has(turn),shown:turn===shown,beside:turn.parent?.children??rows.filter(({parent})=>!parent),onFocus:()=>setAt(
turn.id),onChoose:()=>onLeaf(leafOf(turn).id)},turn.id))})]}),may("chat")&&i("button",{type:"button",disabled:fork.busy,onClick:forkHere,children:[i(Icon,{name:"\
branch"}),fill(words.branches.fork,{what:nameOf(here)})]}),fork.error&&i(Refused,{error:fork.error})]})}var x=turn=>EDGE+turn.lane*LANE,y=turn=>turn.row*ROW+ROW/
2;function Lines({rows,path}){let width=EDGE*2+LANE*Math.max(...rows.map(turn=>turn.lane));return i("svg",{"aria-hidden":"true",width,height:rows.length*ROW,children:[
rows.map(turn=>turn.parent&&i("path",{class:path.has(turn)?"on":void 0,d:line(turn.parent,turn)},turn.id)),rows.map(turn=>i("circle",{class:path.has(turn)?"on":
void 0,cx:x(turn),cy:y(turn),r:turn.children.length?4:5},turn.id))]})}function line(from,to){return x(from)===x(to)?`M${x(from)} ${y(from)}V${y(to)}`:`M${x(from)}\
 ${y(from)}V${y(to)-ROW/2}Q${x(from)} ${y(to)} ${x(to)} ${y(to)}`}function nameOf(turn){let message=labelOf(turn);return message.removed?words.branches.removed:
message.preview.trim()||words.branches.noText}function Node({turn,tabbable,onPath,shown,beside,onFocus,onChoose}){let model=turn.messages.find(message=>message.
model)?.model;return i("li",{style:{paddingInlineStart:`${EDGE*2+turn.lane*LANE}px`},children:i("button",{type:"button",class:onPath?"bare on":"bare",tabIndex:tabbable?
0:-1,"aria-current":shown?"true":void 0,title:nameOf(turn),onFocus,onClick:onChoose,children:[i("span",{children:nameOf(turn)}),beside.length>1&&i("span",{class:"\
unseen",children:fill(words.branches.place,{n:beside.indexOf(turn)+1,of:beside.length})}),model&&i("span",{class:"fine",children:model})]})})}export{Branches as default};
