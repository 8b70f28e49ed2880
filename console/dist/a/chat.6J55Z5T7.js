import{Growing,SegmentsView,addStored,byGateway,detailOf,drawNever,drawSoon,enclosedIn,openCalls,plain,somethingLeft,userMessage}from"./chunk.Z6TIYD75.js";
import"./chunk.ZZUN5PA5.js";import{NotYet,useLazy}from"./chunk.WFE3HSTS.js";import{follow,pause}from"./chunk.4GYXU4L6.js";import{takePrepared}from"./chunk.T76RNZLJ.js";
import{Copy}from"./chunk.GT46QTCQ.js";import{Tabs}from"./chunk.2WOFV63C.js";import{save}from"./chunk.2GJ4U3AR.js";import{Time}from"./chunk.TZMBYRJR.js";
import{models,readModels}from"./chunk.N6WKZRS3.js";import{prefer,preferences}from"./chunk.J4YQBIBB.js";import{configOf,defaults,formatOf,go,href,keepOptions,
keepUnsent,keptOptions,keptUnsent,may,me,replace}from"./chunk.EV7FTPOP.js";import{Dialog}from"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";
import{$,ApiError,D,Empty,Icon,Loading,Refused,S,U,b,base,call,count,duration,fill,get,i,isAbort,j,k,money,number,query,w,words}from"./chunk.QMEWQLJE.js";
import"./chunk.NTAP2V3D.js";function errorOfRun({id,error,status,attempts}){return status==="cancelled"?new ApiError(499,"","cancelled"):new ApiError(502,error?.message??"",error?.code??null,
null,error?.param,null,attempts>0,id,error?.type)}function titleOf(error,provider){let{status,code,type}=error,who=provider?fill(words.failed.named,{provider}):
words.failed.unnamed;if(status===0)return words.state.offline;if(!byGateway(error))return fill(byProvider(status,code),{who});switch(code){case"cancelled":return words.
chat.ends.cancelled;case"server_stopped":case"server_shutting_down":return words.failed.stopped;case"exported_unfinished":return words.failed.exported;case"no_h\
ealthy_upstream":return words.failed.unhealthy;case"insufficient_quota":return somethingLeft(error.message)?words.failed.overBudget:words.failed.budget;case"rat\
e_limit_exceeded":return words.failed.limit;case"model_not_found":return words.failed.model;default:return(type?type==="server_error":status>=500)?words.failed.
gateway:words.state.refused}}var ended=new Set(["server_stopped","server_shutting_down","exported_unfinished"]);function saidOf(run){let error=errorOfRun(run),title=titleOf(
error,run.provider??null);return ended.has(error.code??"")?`${title}.`:`${title}: ${detailOf(error)}`}function byProvider(status,code){return status===429||code===
"rate_limit_exceeded"?words.failed.rate:code==="upstream_auth_failed"||code==="upstream_credentials_exhausted"?words.failed.key:code==="upstream_connect_failed"||
code==="connect_timeout"?words.failed.unreachable:code?.endsWith("_timeout")?words.failed.slow:code==="stream_incomplete"?words.failed.cut:status<500?words.failed.
refused:words.failed.broken}function RunLink({id}){return id&&may("read")?i("a",{href:href("runs",id),children:words.failed.run}):null}var waitOf=error=>error.code===
"insufficient_quota"&&byGateway(error)?words.failed.renewed:words.failed.again;function FailedNotice({failed,options,busy}){let{error,provider,again,edit}=failed,
stopped=error.code==="cancelled",wait=error.retry_after?` (${fill(waitOf(error),{time:duration(error.retry_after*1e3)})})`:"";return i("div",{class:stopped?"not\
ice":"notice bad",role:stopped?void 0:"alert",children:[!stopped&&i(Icon,{name:"warn"}),i("div",{children:[i("strong",{children:[titleOf(error,provider),wait]}),
error.status!==0&&!stopped&&i("p",{dir:"auto",children:detailOf(error)}),(error.code||error.request_id)&&!stopped&&i("p",{class:"fine",children:[error.request_id&&
error.status," ",error.code,error.request_id&&i($,{children:[" · ",words.state.request," ",i("code",{children:error.request_id})]})]}),i("span",{class:"row wra\
p",children:[again&&options&&i("button",{type:"button",class:stopped?"":"primary",disabled:busy,onClick:()=>again(options),children:words.failed.retry}),edit&&i(
"button",{type:"button",onClick:edit,children:words.failed.edit}),!stopped&&i(RunLink,{id:error.run})]})]})]})}var world={call,pause,random:Math.random};async function grow(source,turn,before,place,signal,began){let growing=new Growing(before?.segments??[],!("run"in source)),
begun=performance.now();turn.segments=growing.segments;let{activity,drawn}=place,end=await follow(source,{began:run=>{turn.run=run,began(run)},block:({event,data})=>{
data!=="[DONE]"&&(growing.add(JSON.parse(data))&&before&&drawn.get(before.key)?.(),activity.value!=="answering"&&growing.segments.length>0&&("run"in source||(turn.
firstPiece??=performance.now()-begun),activity.value="answering",announce(words.chat.begins)),event!=="error"&&drawn.get(turn.key)?.())},cut:()=>activity.value=
"cut",back:()=>activity.value=growing.segments.length?"answering":"sending"},signal,world);return growing.end(),turn.finish=growing.finish,before&&drawn.get(before.
key)?.(),turn.firstPiece!==void 0&&(turn.took=performance.now()-begun),drawn.get(turn.key)?.(),announce(end.kind==="done"?words.chat.complete:words.chat.broken),
end}var Sheet=class{text=D("");files=D([]);unsent=D([]);options=D(defaults);conversation=D(null);constructor(conversation=null){let owner2=me.peek()?.owner;if(this.
conversation.value=conversation,owner2===void 0)return;conversation&&(this.options.value=keptOptions(owner2,conversation)),this.unsent.value=keptUnsent(owner2,conversation);
let place=conversation;k(()=>{let here=this.conversation.value;here!==place&&keepUnsent(owner2,place,[]),place=here,keepUnsent(owner2,here,this.unsent.value)}),
k(()=>{this.conversation.value&&keepOptions(owner2,this.conversation.value,this.options.value)})}},sheets=new Map,fresh=null,owner;function sheetOf(conversation){
if(owner!==void 0&&owner!==me.value?.owner&&(sheets.clear(),fresh=null),owner=me.value?.owner,!conversation)return fresh??=new Sheet;let known=sheets.get(conversation)??
new Sheet(conversation);return sheets.set(conversation,known),known}function taken(sheet,conversation){sheet===fresh&&(fresh=null),conversation&&(sheets.set(conversation,
sheet),sheet.conversation.value=conversation)}function returned(sheet){for(let[id,one]of sheets)one===sheet&&sheets.delete(id);sheet.conversation.value=null,fresh=
sheet}var STORED="parley.spare";function keepSpare(conversation){try{sessionStorage.setItem(STORED,JSON.stringify({owner:me.peek()?.owner,conversation}))}catch{}}async function takeSpare(signal){
let found=sessionStorage.getItem(STORED);sessionStorage.removeItem(STORED);try{let{owner:owner2,conversation}=JSON.parse(found??"{}");if(!conversation||owner2!==
me.peek()?.owner)return null;let path=`/v1/conversations/${conversation}/tree${query({limit:1})}`;return(await get(path,{signal})).data.length===0?conversation:
null}catch(error){if(error instanceof SyntaxError||error instanceof ApiError&&error.status===404)return null;throw error}}var PAGE=50,TREE_PAGES=20;async function load(id,leaf,signal){let path=`/v1/conversations/${id}`,[conversation,page,nodes,runs]=await Promise.all([get(path,{signal}),
get(`${path}/messages${query({order:"desc",limit:PAGE,leaf:leaf??void 0})}`,{signal}),tree(path,signal),runsOf(id,signal)]),newest=[...runs.values()][0]??null,last=nodes.
get(page.first_id??"");return{conversation,turns:turnsOf(page,nodes),runs,newest,silent:silentRun(last,nodes,leaf?runs.get(last?.run_id??""):newest),earlier:page.
has_more?page.last_id:null,instruction:page.instruction??"",computer:[...runs.values()].some(run=>run.finish_reason==="confirmation")||page.data.some(onComputer)}}
function silentRun(last,nodes,run){return run&&last&&last.role!=="assistant"&&!nodes.has(messageOf(run.id))?run:null}var onComputer=({role,lmc})=>role==="comput\
er"||(lmc?.some(one=>one.role==="computer")??!1);async function branchOf(id,message,signal){let path=`/v1/conversations/${id}`,[page,nodes]=await Promise.all([get(
`${path}/messages${query({order:"desc",limit:1})}`,{signal}),tree(path,signal)]);if(!nodes.has(message))return message;for(let at=page.first_id;at;at=nodes.get(
at)?.parent_id??null)if(at===message)return null;return newestBelow(message,groupByParent(nodes))}async function runsOf(id,signal){let{data}=await get(`/v1/runs${query(
{conversation:id,limit:100})}`,{signal});return new Map(data.map(run=>[run.id,run]))}async function messageBefore(id,run,signal){return[...(await tree(`/v1/conv\
ersations/${id}`,signal)).values()].findLast(node2=>node2.run_id===run&&node2.role!=="assistant")?.id}async function newestRun(id,signal){return(await get(`/v1/\
runs${query({conversation:id,limit:1})}`,{signal})).data[0]??null}async function loadEarlier(id,leaf,after,signal){let path=`/v1/conversations/${id}`,[page,nodes]=await Promise.
all([get(`${path}/messages${query({order:"desc",limit:PAGE,leaf:leaf??void 0,after})}`,{signal}),tree(path,signal)]);return{turns:turnsOf(page,nodes),earlier:page.
has_more?page.last_id:null}}async function tree(path,signal){let nodes=new Map,after=null;for(let page=0;page<TREE_PAGES;page++){let list=await get(`${path}/tre\
e${query({limit:1e3,after:after??void 0})}`,{signal});for(let node2 of list.data)nodes.set(node2.id,node2);if(!list.has_more)break;after=list.last_id}return nodes}
function turnsOf(page,nodes){let path=[];for(let at=page.first_id;at&&path.length<page.data.length;){let node2=nodes.get(at);if(!node2)break;node2.removed||path.
push(node2),at=node2.parent_id}let children=groupByParent(nodes),turns=[];for(let place=page.data.length-1;place>=0;place--){let message=page.data[place],node2=path[place],
last=turns.at(-1);if(last?.role==="assistant"&&followsCode(message)){addStored(last.segments,message),last.id=node2?.id??last.id,node2&&last.messages.push(node2.
id);continue}let segments=[];addStored(segments,message);let role=message.role==="user"||message.role===void 0?"user":"assistant";turns.push({key:node2?.id??`${page.
first_id}-${place}`,id:node2?.id??null,parent:node2?.parent_id??null,role,segments,at:node2?.created_at??0,model:node2?.model??null,run:node2&&role==="assistant"?
runOf(node2.id):null,others:node2?othersOf(node2,children):[],messages:node2?[node2.id]:[]})}return turns}function othersOf(node2,children){return(children.get(
node2.parent_id)??[]).filter(one=>one.role===node2.role&&!one.removed).map(({id})=>({id,leaf:newestBelow(id,children)}))}function newestBelow(id,children){for(let leaf=id;;){
let next=children.get(leaf)?.at(-1);if(!next)return leaf;leaf=next.id}}function groupByParent(nodes){let groups=new Map;for(let node2 of nodes.values()){let group=groups.
get(node2.parent_id);group?group.push(node2):groups.set(node2.parent_id,[node2])}return groups}function followsCode(message){return message.role==="computer"||message.
role==="tool"}var runOf=message=>message.replace(/^msg_/,"run_"),messageOf=run=>run.replace(/^run_/,"msg_");var Half=class{constructor(turn,runs){this.turn=turn;this.runs=runs}turn;runs;activity=D("sending");drawn=new Map;error=D(null);stopped=!1;abort=new AbortController;get busy(){
return this.activity.value!=="idle"}get run(){return this.runs.value.get(this.turn.run??"")}get answered(){return!this.error.value&&this.turn.run!==null&&this.turn.
segments.some(({type})=>type!=="error")}async answer(source){try{this.stopped&&this.leave();let end=await grow(source,this.turn,void 0,this,this.abort.signal,()=>{});
end.kind==="refused"&&(this.error.value=end.error)}catch(error){isAbort(error)||(this.error.value=error instanceof ApiError?error:new ApiError(0,String(error)))}
this.activity.value="idle"}leave(){this.abort.abort()}async stop(){this.stopped=!0,this.busy&&this.turn.run&&await call(`/v1/runs/${this.turn.run}/cancel`,{method:"\
POST"})}};var NOTHING="none",TITLE=80,SOON=50,LATER=1e3,Chat=class{constructor(id,leaf,at,onAddress){this.id=id;this.leaf=leaf;this.at=at;this.onAddress=onAddress;this.sheet=
sheetOf(id)}id;leaf;at;onAddress;turns=D([]);activity=D("loading");error=D(null);failed=D(null);empty=D(null);title=D("");ceiling=D(null);runs=D(new Map);newest=D(
null);earlier=D(null);model=D("");sending=D(null);two=D(null);drawn=new Map;sheet;abort=new AbortController;run=null;sentInstruction="";storing=!1;tabs=new Tabs(
conversation=>{conversation===this.id&&this.refresh()});close(){this.abort.abort();for(let half of this.two.value??[])half.leave();this.tabs.close()}async open(){
if(!this.id){this.activity.value="idle";return}await this.findHit()&&await this.reload()&&(await this.reachHit(),await this.followNewest())}async refresh(){if(this.
activity.value!=="idle"||!this.id||this.leaf||this.failed.value||this.two.value)return;let found=await newestRun(this.id,this.abort.signal).catch(()=>null),newest=this.
newest.value;!found||found.id===newest?.id&&found.status===newest.status||this.activity.value!=="idle"||await this.reload()&&await this.followNewest()}async showEarlier(){
let after=this.earlier.value;if(!(!after||!this.id)){this.earlier.value=null;try{let page=await loadEarlier(this.id,this.leaf,after,this.abort.signal);this.turns.
value=[...page.turns,...this.turns.value],this.earlier.value=page.earlier}catch(error){this.earlier.value=after,this.fail(error)}}}async send(text,files,options,parent){
let half=this.two.value?.find(({answered})=>answered);half&&!parent&&this.choose(half);let kept=parent?this.turnsUntil(parent):this.turns.value;await this.ask({
text,files},options,kept,parent??this.branchEnd(kept),parent!==void 0)}async sendAgain(unsent,options){this.drop(unsent),await this.send(unsent.text,unsent.files,
options,unsent.parent)}takeBack(unsent){let{text,files}=this.sheet;this.drop(unsent),text.value=[unsent.text,text.value].filter(Boolean).join(`

`),files.value=[...unsent.files,...files.value]}turnOf({key,text,files,at}){return{...this.newTurn("user"),key,at,segments:segmentsOf(text,files)}}drop(unsent){
this.sheet.unsent.value=this.sheet.unsent.value.filter(one=>one!==unsent)}async answerAnew(turn,options){turn.parent&&await this.ask({},options,this.turnsUntil(
turn.parent),turn.parent)}async answerCalls(results,options){await this.ask({results},options,this.turns.value,this.branchEnd(this.turns.value))}async goOn(run,options){
let body={stream:!0,format:formatOf(options),...options.computer&&{config:{computer:{}}}},model=this.runs.value.get(run)?.model??options.model;await this.answer(
{path:`/v1/runs/${run}/continue`,body,key:crypto.randomUUID()},this.answerTurn(model))}async approve(run,approve){let body={approve,stream:!0},model=this.runs.value.
get(run)?.model??"";await this.answer({path:`/v1/runs/${run}/approve`,body,key:crypto.randomUUID()},this.answerTurn(model))}async keep(half){this.choose(half),await this.
reload(half.turn)}async stopOf(half){await half.stop().catch(error=>this.fail(error))}async stop(){if(this.two.value){await Promise.all(this.two.value.map(half=>this.
stopOf(half)));return}try{for(;this.storing&&!this.run&&this.id&&this.activity.value==="sending";){let newest=await newestRun(this.id,this.abort.signal);newest&&
(newest.status==="running"||newest.status==="queued")?this.run??=newest.id:await pause(100,this.abort.signal)}if(this.activity.value==="idle")return;if(this.run){
await call(`/v1/runs/${this.run}/cancel`,{method:"POST"});return}}catch(error){this.fail(error);return}this.abort.abort(),this.abort=new AbortController,this.arrived(),
this.activity.value="idle"}async ask(said,options,kept,parent,beside=!1){let asked={said,parent,beside,kept,before:this.turns.value,leaf:this.leaf,failed:this.failed.
value,empty:this.empty.value,instruction:this.sentInstruction,newest:this.newest.value?.id??null,store:options.store};if(options.store&&said.text!==void 0&&(this.
sending.value=this.noteUnsent(said.text,null,asked)),this.turns.value=this.withSaid(kept,said),this.two.value=null,this.error.value=null,this.failed.value=this.
empty.value=null,this.activity.value="sending",this.storing=options.store,taken(this.sheet,this.id),options.store&&!this.id&&!await this.begin(asked))return;let body={
messages:options.store?messagesOf(said):this.unstored(),config:configOf(options),stream:!0,format:formatOf(options)};if(options.store?Object.assign(body,{conversation:this.
id,...parent&&{parent}}):body.store=!1,(options.instruction!==this.sentInstruction||parent===NOTHING||!options.store&&options.instruction)&&(body.instruction=options.
instruction),this.sentInstruction=options.instruction,this.id&&(this.leaf||this.at)&&(this.leaf=this.at=null,this.onAddress(this.id)),options.store&&options.second&&
said.text!==void 0){this.sheet.options.value={...this.sheet.options.value,second:""},await this.answerTwice(body,[options.model,options.second],asked);return}let source={
path:"/v1/chat",body,key:crypto.randomUUID()};await this.answer(source,this.answerTurn(options.model),asked)}async answerTwice(body,models2,asked){let halves=models2.
map(model=>new Half(this.answerTurn(model),this.runs)),[one,other]=halves,{signal}=this.abort,ask=(half,more)=>half.answer({path:"/v1/chat",body:{...body,...more},
key:crypto.randomUUID()}).then(()=>this.readRuns());this.two.value=halves;try{let first=ask(one,{});if(await this.findRun(one,asked.newest),!one.turn.run){await first,
await this.endedUnasked(one,asked);return}this.arrived();let parent=await messageBefore(this.id,one.turn.run,signal),config={...body.config,model:models2[1]},second=ask(
other,{messages:[],parent,config});this.tabs.tell(this.id),await this.findRun(other,one.turn.run),await Promise.all([first,second]),this.two.value===halves&&await this.
endedTwice(halves,parent),this.tabs.tell(this.id)}catch(error){for(let half of halves)half.leave();this.two.value=null,this.fail(error)}}async findRun(half,known){
for(let wait=SOON;!half.turn.run;wait=Math.min(2*wait,LATER)){let{busy}=half,newest=await newestRun(this.id,this.abort.signal).catch(()=>null);if(newest&&newest.
id!==known)half.turn.run??=newest.id;else if(busy)await pause(wait,this.abort.signal);else return}half.stopped&&await half.stop()}async readRuns(){let{signal}=this.
abort;signal.aborted||(this.runs.value=await runsOf(this.id,signal).catch(()=>this.runs.value))}async endedUnasked(one,asked){this.two.value=null,one.error.value?
await this.refused(one.error.value,asked):await this.reload()}async endedTwice(halves,parent){let first=halves.find(({answered})=>answered);first||(this.two.value=
null);let{signal}=this.abort;this.take(await load(this.id,parent??null,signal)),first&&(this.leaf=messageOf(first.turn.run),this.onAddress(this.id,this.leaf))}choose(half){
let others=this.two.value?.filter(one=>one!==half)??[];for(let one of others)this.stopOf(one);let{turn}=half,{options}=this.sheet;turn.id=messageOf(turn.run),options.
value.model&&(options.value={...options.value,model:turn.model??""}),this.two.value=null,this.turns.value=[...this.turns.value,turn],this.leaf=turn.run===this.newest.
value?.id?null:turn.id,this.onAddress(this.id,this.leaf),this.activity.value="idle"}async begin(asked){this.title.value=titleOf2(this.turns.value);try{let headers={
"Idempotency-Key":crypto.randomUUID()},{signal}=this.abort,make=()=>get("/v1/conversations",{body:{},headers,signal}),id=await takeSpare(signal)??(await make()).
id;return asked.begins=!0,this.id=id,taken(this.sheet,id),this.onAddress(id),!0}catch(error){return error instanceof ApiError?await this.refused(error,asked):this.
fail(error),!1}}withSaid(kept,{text,files=[],results}){let last=kept.at(-1);if(results&&last){let more=results.map(({id,text:result})=>({type:"result",text:result,
id}));return[...kept.slice(0,-1),{...last,segments:[...last.segments,...more]}]}return text===void 0?kept:[...kept,{...this.newTurn("user"),segments:segmentsOf(
text,files),parent:last?.id??null}]}unstored(){return this.turns.value.flatMap(({role,segments})=>{if(role==="user")return[userMessage(segments)];let calls=segments.
filter(one=>one.type==="call").map(one=>({id:one.id,type:"function",function:{name:one.name,arguments:one.text}})),results=segments.filter(one=>one.type==="resu\
lt");return segments.length===0?[]:[{role,content:plain(segments),...calls.length&&{tool_calls:calls}},...results.map(({id,text})=>({role:"tool",tool_call_id:id,
content:text}))]})}newTurn(role){let key=crypto.randomUUID(),known={id:null,parent:null,model:null,run:null,others:[],messages:[]};return{key,role,segments:[],at:Date.
now()/1e3,...known}}answerTurn(model){return{...this.newTurn("assistant"),model}}turnsUntil(message){let turns=this.turns.value;return turns.slice(0,turns.findIndex(
turn=>turn.id===message)+1)}branchEnd(kept){let last=kept.at(-1);return this.leaf||last?.role==="user"||this.failed.value||this.empty.value?last?.id??void 0:void 0}async answer(source,turn,asked){
let store=asked?.store??!0,last=this.turns.value.at(-1);this.turns.value=[...this.turns.value,turn],this.error.value=null,this.failed.value=this.empty.value=null,
this.activity.value="sending",this.run="run"in source?source.run:null;let began=run=>{this.run!==run&&this.id&&this.tabs.tell(this.id),this.run=run,this.arrived()};
try{let before=last?.role==="assistant"?last:void 0,end=await grow(source,turn,before,this,this.abort.signal,began);await this.ended(end,turn,asked),store&&this.
id&&this.tabs.tell(this.id)}catch(error){this.fail(error)}}async ended(end,turn,asked){this.run=null,end.kind==="refused"?(this.turns.value=this.turns.value.filter(
one=>one!==turn),asked?await this.refused(end.error,asked):await this.reload()&&this.fail(end.error)):(asked?.store??!0)&&this.id?await this.reload(end.kind==="\
done"?turn:void 0):this.activity.value="idle"}async refused(error,asked){let{said}=asked,run=asked.store?await this.storedRun(error.run):null;if(run&&this.arrived(),
run&&await this.reload()){let failed=this.failed.value;this.failed.value={...failed??{again:this.askAgain(asked)},error,provider:run.provider??null};return}this.
id&&asked.begins&&this.leaveEmpty(this.id),this.activity.value="idle",this.sentInstruction=asked.instruction,!this.id&&asked.before.length===0&&returned(this.sheet),
said.results||this.showAgain(asked),said.text===void 0?this.failed.value={error,provider:null,again:this.askAgain(asked)}:this.keepUnsent(said.text,error,asked),
error.code==="conversation_busy"&&await this.refresh()}showAgain({before,leaf,failed,empty}){this.turns.value=before,this.failed.value=failed,this.empty.value=empty,
leaf&&(this.leaf=leaf,this.onAddress(this.id,leaf))}keepUnsent(text,error,asked){this.arrived();let{files=[]}=asked.said;error.status===401?this.takeBack({text,
files}):this.noteUnsent(text,error,asked)}noteUnsent(text,error,asked){let{said,kept,store}=asked,parent=asked.beside?asked.parent:void 0,{files=[]}=said,after=kept.
at(-1)?.id??kept.at(-1)?.key??null,key=crypto.randomUUID(),{unsent}=this.sheet;return unsent.value=[...unsent.value,{key,text,files,parent,after,at:Date.now()/1e3,
store,error}],key}arrived(){let{unsent}=this.sheet,key=this.sending.value;key&&(unsent.value=unsent.value.filter(one=>one.key!==key)),this.sending.value=null}findArrived(turns){
let{unsent}=this.sheet,has=({after,text})=>{let from=turns.findIndex(({messages})=>messages.includes(after??""));return turns.slice(from+1).some(({role,segments})=>role===
"user"&&plain(segments)===text)},left=unsent.value.filter(one=>one.error||!has(one));left.length<unsent.value.length&&(unsent.value=left)}async storedRun(run){return!this.
id||!run?null:(await runsOf(this.id,this.abort.signal).catch(()=>null))?.get(run)??null}askAgain({said,kept,parent}){return options=>{this.ask(said,options,kept,
parent)}}leaveEmpty(conversation){keepSpare(conversation),this.id=null,this.title.value="",returned(this.sheet),this.onAddress(null)}async findHit(){if(!this.at)
return!0;try{return this.leaf=await branchOf(this.id,this.at,this.abort.signal),!0}catch(error){return this.fail(error),!1}}async reachHit(){let has=()=>this.turns.
value.some(({messages})=>messages.includes(this.at));for(;this.at&&this.earlier.value&&!this.error.value&&!has();)await this.showEarlier()}async followNewest(){
let newest=this.newest.value;!this.leaf&&newest&&(newest.status==="running"||newest.status==="queued")&&await this.answer({run:newest.id},this.answerTurn(newest.
model))}async reload(whole2){let{signal}=this.abort;try{let found=await load(this.id,this.leaf,signal);return signal.aborted?!1:(this.take(found,whole2),!0)}catch(error){
return this.fail(error),!1}}take(found,whole2){let id=whole2?.run?messageOf(whole2.run):null,old=new Map(this.turns.value.map(turn=>[turn.id??turn.key,turn])),measured=new Map(
this.turns.value.map(turn=>[turn.run,turn]));this.title.value=found.conversation.title??"",this.ceiling.value=found.conversation.budget??null,this.runs.value=found.
runs,this.newest.value=found.newest,this.earlier.value=found.earlier,this.turns.value=found.turns.map(turn=>{let before=turn.run?measured.get(turn.run):void 0,times={
firstPiece:before?.firstPiece,took:before?.took};if(whole2&&turn.id===id)return{...turn,...times,key:whole2.key,segments:whole2.segments};let same=old.get(turn.
id??turn.key),segments=same&&alike(same.segments,turn.segments)?same.segments:turn.segments;return{...turn,...times,key:same?.key??turn.key,segments}}),this.takeOptions(
found),this.takeSilent(found),this.findArrived(found.turns),this.activity.value="idle"}takeOptions(found){let{options}=this.sheet;this.model.value=found.turns.findLast(
({model})=>model)?.model??"";let changed=options.value.instruction!==this.sentInstruction;this.sentInstruction=found.instruction,options.value={...options.value,
computer:options.value.computer||found.computer,instruction:changed?options.value.instruction:found.instruction}}takeSilent({silent,turns}){this.failed.value=this.
empty.value=null;let parent=turns.at(-1)?.id;if(!silent||!parent||this.two.value||silent.status==="running"||silent.status==="queued")return;let again=options=>{
this.ask({},options,this.turnsUntil(parent),parent)};silent.status==="completed"?this.empty.value={run:silent,again}:this.failed.value={error:errorOfRun(silent),
provider:silent.provider??null,again}}fail(error){isAbort(error)||(this.activity.value="idle",this.error.value=error instanceof ApiError?error:new ApiError(0,String(
error)))}};function messagesOf({text,files=[],results}){return results?results.map(({id,text:content})=>({role:"tool",tool_call_id:id,content})):text===void 0?[]:
[userMessage(segmentsOf(text,files))]}function segmentsOf(text,files){let segments=files.map(({id,name,kept})=>kept??{type:"file",id,name,text:""});return text&&
segments.push({type:"text",text}),segments}var alike=(one,other)=>JSON.stringify(one)===JSON.stringify(other);function titleOf2(turns){let first=plain(turns[0]?.
segments??[]).trim().split(`
`,1)[0].replace(/^#+ /,"");return first.length>TITLE?`${first.slice(0,TITLE-1)}…`:first}function Chips({files,remove,uploading}){return!files.length&&!uploading?null:i("ul",{class:"chips","aria-label":words.chat.attached,children:[files.map(({id,name})=>i(
"li",{children:[i("span",{dir:"auto",children:name}),i("button",{type:"button",class:"bare","aria-label":fill(words.chat.detach,{name}),onClick:()=>remove(id),children:i(
Icon,{name:"close"})})]},id)),uploading&&i("li",{role:"status",children:fill(words.chat.uploading,{name:uploading})})]})}var picker=()=>import("./model_picker.IUI7ZMOS.js");function ModelSelect({value,change,label=words.chat.model,icon}){let[open,setOpen]=w(!1),lazy=useLazy(open?picker:
null),close=()=>setOpen(!1),name=icon?label:fill(words.models.chosen,{label,model:value||words.units.none});return i($,{children:[i("button",{type:"button",class:icon?
"bare":"model","aria-haspopup":"dialog","aria-expanded":open,"aria-label":name,title:name,onClick:()=>setOpen(!0),children:[!icon&&i("span",{dir:"auto",children:value||
words.units.none}),i(Icon,{name:icon??"chevron"})]}),open&&i(Dialog,{title:label,onClose:close,children:lazy.file?i(lazy.file.default,{value,choose:model=>{change(
model),close()}}):i(NotYet,{missing:lazy.missing,retry:lazy.retry})})]})}function Composer({chat,options,change,onOptions,send,files}){let text=chat.sheet.text.value,input=U(null),busy=chat.activity.value!=="idle",empty=!text.trim()&&
files.attached.length===0;S(()=>{matchMedia("(pointer: fine)").matches&&input.current?.focus()},[chat]),j(()=>grow2(input.current),[text]),S(()=>{let stop=event=>{
event.key!=="Escape"||event.defaultPrevented||event.isComposing||document.querySelector("dialog[open], [data-menu=shown]")||chat.activity.value!=="idle"&&chat.stop()};
return addEventListener("keydown",stop),()=>removeEventListener("keydown",stop)},[chat]);let submit=()=>{if(busy||files.uploading||empty)return;let{attached}=files;
chat.sheet.text.value="",files.clear(),send(text,attached)};return i("form",{class:"composer",onSubmit:event=>{event.preventDefault(),submit()},onPaste:event=>{
files.allowed&&event.clipboardData?.files.length&&files.add(event.clipboardData.files)},children:[files.error&&i(Refused,{error:files.error}),i(Chips,{files:files.
attached,remove:files.remove,uploading:files.uploading}),options.store&&options.second&&i("ul",{class:"chips",children:i("li",{children:[i("span",{dir:"auto",children:fill(
words.chat.comparing,{model:options.second})}),i("button",{type:"button",class:"bare","aria-label":words.chat.compareNot,onClick:()=>change({second:""}),children:i(
Icon,{name:"close"})})]})}),i("textarea",{ref:input,rows:1,dir:"auto","aria-label":words.chat.message,placeholder:words.chat.placeholder,value:text,onInput:event=>chat.
sheet.text.value=event.currentTarget.value,onKeyDown:event=>{sends(event)&&(event.preventDefault(),submit())}}),i("div",{class:"row",children:[files.allowed&&i(
Attach,{add:files.add}),i("button",{type:"button",class:"bare",onClick:onOptions,title:words.chat.options,children:[i(Icon,{name:"gear"}),i("span",{class:"unsee\
n",children:words.chat.options})]}),i(ModelSelect,{value:options.model,change:model=>change({model})}),options.store&&i(ModelSelect,{icon:"two",label:words.chat.
compare,value:options.second,change:second=>change({second})}),busy&&chat.activity.value!=="loading"?i("button",{type:"button",class:"send",onClick:()=>{chat.stop()},
children:[i(Icon,{name:"stop"}),i("span",{children:words.chat.stop})]}):i("button",{class:"primary send",disabled:empty||busy||files.uploading!==null,children:[
i(Icon,{name:"send"}),i("span",{children:words.chat.send})]})]}),!options.store&&i("p",{class:"fine",children:words.chat.notStored})]})}function sends(event){return event.
key==="Enter"&&!event.shiftKey&&!event.isComposing&&matchMedia("(pointer: fine)").matches}function grow2(input){input&&(input.style.blockSize="auto",input.style.
blockSize=`${Math.min(input.scrollHeight+2,innerHeight/3)}px`)}function Attach({add}){let input=U(null);return i($,{children:[i("input",{ref:input,type:"file",multiple:!0,
hidden:!0,onChange:event=>{event.currentTarget.files&&add(event.currentTarget.files),event.currentTarget.value=""}}),i("button",{type:"button",class:"bare",title:words.
chat.attach,onClick:()=>input.current?.click(),children:[i(Icon,{name:"clip"}),i("span",{class:"unseen",children:words.chat.attach})]})]})}function useFiles(sheet){
let[uploading,setUploading]=w(null),[error,setError]=w(null),add=async files=>{setError(null);try{for(let file of Array.from(files)){setUploading(file.name);let form=new FormData;
form.append("purpose","user_data"),form.append("file",file,file.name);let{id,filename}=await get("/v1/files",{body:form});sheet.files.value=[...sheet.files.value,
{id,name:filename}]}}catch(failure){setError(failure instanceof ApiError?failure:new ApiError(0,String(failure)))}setUploading(null)};return{allowed:may("files"),
attached:sheet.files.value,uploading,error,add:files=>{add(files)},remove:id=>sheet.files.value=sheet.files.value.filter(file=>file.id!==id),clear:()=>sheet.files.
value=[]}}function snippet(language,body){let url=new URL("v1/chat",base).href,json=JSON.stringify(body,null,2);return{curl:curl(url,json),python:python(url,json),node:node(
url,json)}[language]}var curl=(url,json)=>`curl ${url} \\
  -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json.replaceAll("'","'\\''")}'
`,python=(url,json)=>`import json
import os
import urllib.request

body = json.loads(${pythonString(json)})
request = urllib.request.Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ.get("PARLEY_API_KEY", ""),
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["choices"][0]["message"]["content"])
`;function pythonString(json){return json.includes("'''")||json.endsWith("'")?JSON.stringify(json):`r'''${json}'''`}var node=(url,json)=>`const response = await\
 fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.PARLEY_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll(`
`,`
  `)}),
});
const answer = await response.json();
console.log(answer.choices[0].message.content);
`;var languages=["curl","python","node"];function CodeDialog({body,close}){let[language,setLanguage]=w("curl"),text=snippet(language,body);return i(Dialog,{title:words.
chat.code,onClose:close,children:i("div",{class:"stack",children:[i("div",{class:"row between",children:[i("span",{class:"row",children:languages.map(one=>i("bu\
tton",{type:"button","aria-pressed":one===language,onClick:()=>setLanguage(one),children:words.chat.languages[one]},one))}),i(Copy,{text})]}),i("pre",{class:"sn\
ippet",tabIndex:0,children:text}),i("p",{class:"fine",children:words.chat.codeText})]})})}function markdownOf(title,instruction,turns){let parts=[`# ${title||words.chat.untitled}`];return instruction&&parts.push(`## ${words.chat.instruction}`,instruction),
turns.forEach((turn,place)=>{turn.role==="assistant"&&turns[place-1]?.role==="assistant"||parts.push(`## ${turn.role==="user"?words.chat.you:turn.model??words.chat.
answer}`),parts.push(...turn.segments.map(part).filter(Boolean))}),`${parts.join(`

`)}
`}function part(segment){switch(segment.type){case"text":return segment.text.trim();case"reasoning":return quote(`**${words.chat.reasoning}**

${segment.text.trim()}`);case"code":return fence(segment.language,segment.text);case"console":return`${words.chat.console}

${fence("",segment.text)}`;case"call":return`${words.chat.call} \`${segment.name}\`

${fence("json",segment.text)}`;case"result":return`${words.chat.result}

${fence("",segment.text)}`;case"error":return quote(`**${words.chat.error}** ${segment.text}`);case"file":return`*${segment.name}*`;case"image":return`*${words.
chat.image}*`;case"confirmation":return""}}var quote=text=>text.replaceAll(/^/gm,"> ").replaceAll(/^> $/gm,">");function fence(language,text){let longest=Math.max(
2,...(text.match(/`+/g)??[]).map(({length})=>length)),line="`".repeat(longest+1);return`${line}${language}
${text.replace(/\n$/,"")}
${line}`}var fileName=title=>`${title.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu," ").replaceAll(/\s+/g," ").trim().slice(0,80)||words.chat.untitled}.md`;var whole=new Set(["stop","tool_calls","function_call"]);function Finish({reason}){return!reason||whole.has(reason)?null:i("p",{class:"fine",children:words.chat.
finishes[reason]??fill(words.chat.finish,{reason})})}function EmptyNotice({empty:{run,again},options,busy}){return i("div",{class:"notice",children:i("div",{children:[i("span",{children:words.chat.noWords}),i(Finish,
{reason:run.finish_reason}),i("span",{class:"row wrap",children:[i("button",{type:"button",class:"primary",disabled:busy,onClick:()=>again(options),children:words.
chat.again}),!busy&&i(ModelSelect,{icon:"chevron",label:words.chat.againWith,value:run.model,change:model=>again({...options,model})}),i(RunLink,{id:run.id})]})]})})}function Instruction({text,begun,change}){let[edited,setEdited]=w(null);return edited!==null?i("form",{class:"instruction",onSubmit:event=>{event.preventDefault(),
change(edited),setEdited(null)},children:[i("label",{children:[words.chat.instruction,i("textarea",{rows:Math.min(10,edited.split(`
`).length+2),dir:"auto",autofocus:!0,value:edited,onInput:event=>setEdited(event.currentTarget.value),onKeyDown:event=>{event.key!=="Escape"||event.isComposing||
(event.preventDefault(),setEdited(null))}})]}),begun&&i("p",{class:"fine",children:words.chat.instructionLater}),i("div",{class:"row",children:[i("button",{class:"\
primary",children:words.actions.save}),i("button",{type:"button",onClick:()=>setEdited(null),children:words.actions.cancel})]})]}):text?i("section",{class:"inst\
ruction","aria-label":words.chat.instruction,children:[i("div",{class:"row between",children:[i("h2",{class:"fine",children:words.chat.instruction}),i("button",
{type:"button",class:"bare",title:words.chat.instructionEdit,"aria-label":words.chat.instructionEdit,onClick:()=>setEdited(text),children:i(Icon,{name:"edit"})})]}),
i("p",{dir:"auto",children:text})]}):null}function OptionsDialog({options,change,close}){let[tools,setTools]=w(options.tools),wrong=tools.trim()!==""&&!isList(tools);return i(Dialog,{title:words.chat.options,
onClose:close,children:i("form",{method:"dialog",children:[i("label",{children:[words.chat.instruction,i("textarea",{rows:3,dir:"auto",placeholder:words.chat.instructionHint,
value:options.instruction,onInput:event=>change({instruction:event.currentTarget.value})})]}),i("div",{class:"pair",children:[i("label",{children:[words.chat.temperature,
i("input",{type:"number",min:"0",max:"2",step:"any",placeholder:words.chat.byModel,value:options.temperature,onInput:event=>change({temperature:event.currentTarget.
value})})]}),i("label",{children:[words.chat.maxTokens,i("input",{type:"number",min:"1",max:"1000000",step:"1",placeholder:words.chat.byModel,value:options.max_tokens,
onInput:event=>change({max_tokens:event.currentTarget.value})})]})]}),i("label",{children:[words.chat.tools,i("textarea",{rows:3,class:"mono",spellcheck:!1,"ari\
a-invalid":wrong,value:tools,onInput:event=>{let text=event.currentTarget.value;setTools(text),(text.trim()===""||isList(text))&&change({tools:text})}}),i("span",
{class:"fine",children:wrong?words.chat.toolsWrong:words.chat.toolsHint})]}),i(Check,{label:words.chat.lmc,checked:options.lmc,change:lmc=>change({lmc})}),i(Check,
{label:words.chat.store,checked:options.store,change:store=>change({store})}),may("execute")&&options.store&&i(Check,{label:words.chat.computer,checked:options.
computer,change:computer=>change({computer})}),i("footer",{children:i("button",{class:"primary",children:words.actions.close})})]})})}function Check({label,checked,
change}){return i("label",{class:"choice",children:[i("input",{type:"checkbox",checked,onChange:event=>change(event.currentTarget.checked)}),label]})}function isList(text){
try{return Array.isArray(JSON.parse(text))}catch{return!1}}function Results({calls,send}){let[texts,setTexts]=w({});return i("form",{class:"results",onSubmit:event=>{event.preventDefault(),send(calls.map(({id})=>({id,text:texts[id]??
""})))},children:[i("p",{class:"fine",children:words.chat.results}),calls.map(({id,name,text})=>i("label",{children:[i("span",{children:[fill(words.chat.resultOf,
{name})," ",i("code",{children:text})]}),i("textarea",{rows:2,class:"mono",dir:"auto",spellcheck:!1,value:texts[id]??"",onInput:event=>{let{value}=event.currentTarget;
setTexts(old=>({...old,[id]:value}))}})]},id)),i("div",{class:"row",children:i("button",{class:"primary",children:words.chat.resultsSend})})]})}function TurnView({chat,turn,live,joined,hit,unsent,...actions}){let run=turn.run?chat.runs.value.get(turn.run):void 0;return i("article",{class:`turn ${turn.role}${joined?
" joined":""}${hit?" hit":""}${unsent===void 0?"":" unsent"}`,tabIndex:hit?-1:void 0,"aria-label":hit?words.chat.hit:void 0,children:[!joined&&i("h2",{class:"un\
seen",children:turn.role==="user"?words.chat.you:turn.model??words.chat.answer}),i(Content,{chat,turn,live}),!live&&turn.segments.length===0&&i("p",{class:"fine",
children:words.chat.noWords}),live&&i(Waiting,{chat}),run&&!live&&i(Outcome,{run,turn,...actions}),!run&&!live&&i(Finish,{reason:turn.finish}),!live&&actions.results&&
openCalls(turn.segments).length>0&&i(Results,{calls:openCalls(turn.segments),send:actions.results}),!live&&i("footer",{class:"row wrap",children:[i(Branches,{turn,
branch:actions.branch}),unsent&&i("span",{class:"fine",children:unsent}),turn.role==="assistant"&&i(Facts,{turn,run}),i(Buttons,{turn,...actions})]})]})}function Content({
chat,turn,live}){let root=U(null),view=U(null),state=U({segments:turn.segments,live}),drawer=U(()=>!0);return state.current.segments!==turn.segments&&(view.current=
null,root.current?.replaceChildren()),state.current={segments:turn.segments,live},j(()=>{view.current??=new SegmentsView(root.current),drawer.current=until=>view.
current?.draw(state.current.segments,!state.current.live,until)??!0;let draw=()=>drawSoon(drawer.current);return chat.drawn.set(turn.key,draw),draw(),()=>{drawNever(
drawer.current),chat.drawn.delete(turn.key)}},[turn.segments,turn.key,live]),i("div",{class:"content",ref:root})}function Waiting({chat}){let activity=chat.activity.
value;return activity==="cut"?i("p",{class:"fine waiting",children:words.chat.cut}):activity==="sending"?i("p",{class:"fine waiting",children:words.chat.waiting}):
i("span",{class:"cursor","aria-hidden":"true"})}function Outcome({run,turn,goOn,approve,again}){return run.finish_reason==="confirmation"?approve?i(Question,{run,
approve}):null:run.finish_reason==="max_steps"?i(Rest,{run,goOn}):run.status==="completed"||run.status==="running"||run.status==="queued"?i(Finish,{reason:run.finish_reason}):
i("div",{class:`notice ${run.status==="cancelled"?"":"bad"}`,children:i("div",{children:[i("span",{children:[i("strong",{children:words.chat.ends[run.status]}),
" ",run.error&&run.status!=="cancelled"&&saidOf(run)]}),i("span",{class:"row wrap",children:[goOn&&run.status!=="failed"&&i("button",{type:"button",onClick:()=>goOn(
run.id),children:words.chat.goOn}),again&&run.status!=="cancelled"&&i("button",{type:"button",onClick:()=>again(turn),children:words.failed.retry}),run.error&&i(
RunLink,{id:run.id})]})]})})}function Question({run,approve}){return i("div",{class:"notice",children:i("div",{children:[i("span",{children:words.chat.mayRun}),
i("span",{class:"row",children:[i("button",{type:"button",class:"primary",onClick:()=>approve(run.id,!0),children:words.chat.allow}),i("button",{type:"button",onClick:()=>approve(
run.id,!1),children:words.chat.refuse})]})]})})}function Rest({run,goOn}){return i("div",{class:"notice",children:i("div",{children:[i("span",{children:words.chat.
steps}),goOn&&i("button",{type:"button",onClick:()=>goOn(run.id),children:words.chat.goOn})]})})}var LEAST=100;function speedOf(tokens,first,took){return!tokens||
first===void 0||took===void 0||took-first<LEAST?null:tokens/((took-first)/1e3)}function Facts({turn,run}){let first=run?.first_token_ms??turn.firstPiece,took=run?.
first_token_ms?run.duration_ms??void 0:turn.took,speed=speedOf(run?.usage?.completion_tokens,first,took),facts=[turn.model??run?.model,run?.usage&&count(run.usage.
total_tokens,words.units.tokens),run?.usage_source==="estimated"&&words.chat.estimated,run?.cost&&fill(words.chat.cost,{cost:money(run.cost)}),speed!==null&&fill(
words.chat.speed,{n:number(speed)}),first!==void 0&&fill(words.chat.firstPiece,{time:duration(first)})].filter(Boolean);return i("span",{class:"fine facts",children:[
facts.join(" · "),turn.at>0&&i($,{children:[" · ",i(Time,{at:turn.at})]})]})}function Buttons({turn,edit,again,code}){return i("span",{class:"row actions",children:[
i(Copy,{bare:!0,text:()=>plain(turn.segments),label:words.chat.copyText}),edit&&i(Action,{icon:"edit",label:words.chat.edit,run:()=>edit(turn)}),again&&i(Action,
{icon:"again",label:words.chat.again,run:()=>again(turn)}),again&&i(ModelSelect,{icon:"chevron",label:words.chat.againWith,value:turn.model??"",change:model=>again(
turn,model)}),code&&i(Action,{icon:"code",label:words.chat.code,run:()=>code(turn)})]})}function Action({icon,label,run}){return i("button",{type:"button",class:"\
bare",title:label,"aria-label":label,onClick:run,children:i(Icon,{name:icon})})}function Branches({turn,branch}){let place=turn.id?turn.others.findIndex(one=>one.
id===turn.id):-1;if(!branch||turn.others.length<2||place<0)return null;let step=(by,label,sign)=>i("button",{type:"button",class:"bare","aria-label":label,disabled:!turn.
others[place+by],onClick:()=>branch(turn.others[place+by].leaf),children:sign});return i("span",{class:"row branches fine",children:[step(-1,words.chat.branchBefore,
"‹"),fill(words.chat.branchOf,{n:place+1,of:turn.others.length}),step(1,words.chat.branchAfter,"›")]})}function Editor({turn,send,close}){let[text,setText]=w(
()=>plain(turn.segments)),[files,setFiles]=w(()=>enclosedIn(turn.segments).map((kept,n)=>({id:String(n),name:kept.type==="file"?kept.name:words.chat.image,kept})));
return i("form",{class:"turn user editor",onSubmit:event=>{event.preventDefault(),send(text,files)},children:[i("label",{children:[words.chat.edit,i("textarea",
{rows:Math.min(12,text.split(`
`).length+1),value:text,dir:"auto",autofocus:!0,onInput:event=>setText(event.currentTarget.value),onKeyDown:event=>{event.key!=="Escape"||event.isComposing||(event.
preventDefault(),close())}})]}),i(Chips,{files,remove:id=>setFiles(files.filter(file=>file.id!==id))}),i("p",{class:"fine",children:words.chat.editText}),i("div",
{class:"row",children:[i("button",{class:"primary",disabled:!text.trim()&&files.length===0,children:words.chat.send}),i("button",{type:"button",onClick:close,children:words.
actions.cancel})]})]})}function TwoView({chat,code}){return i("div",{class:"two",role:"group","aria-label":words.chat.two,children:chat.two.value?.map(half=>i("section",{"aria-label":half.
turn.model,children:[i("header",{class:"row between",children:[i("strong",{dir:"auto",children:half.turn.model}),i(Choice,{chat,half})]}),(!half.error.value||half.
turn.segments.length>0)&&i(TurnView,{chat:half,turn:half.turn,live:half.busy,joined:!1,hit:!1,code}),half.error.value&&i(FailedNotice,{failed:{error:half.error.
value,provider:half.run?.provider??null}})]},half.turn.key))})}function Choice({chat,half}){return half.busy?i("button",{type:"button",onClick:()=>{chat.stopOf(
half)},children:words.chat.stop}):half.answered?i("button",{type:"button",onClick:()=>{chat.keep(half)},children:words.chat.keep}):null}function UnsentView({chat,unsent,options}){let turn=b(()=>chat.turnOf(unsent),[unsent]),{error}=unsent,again=options2=>{chat.sendAgain(unsent,options2)},edit=()=>chat.
takeBack(unsent),busy=chat.activity.value!=="idle";return i($,{children:[i(TurnView,{chat,turn,live:!1,joined:!1,hit:!1,unsent:error?words.chat.notSent:""}),error?
i(FailedNotice,{failed:{error,provider:null,again,edit},options,busy}):i("div",{class:"notice",children:i("div",{children:[i("span",{children:words.chat.notKnown}),
i("span",{class:"row wrap",children:[i("button",{type:"button",class:"primary",disabled:busy,onClick:()=>again(options),children:words.failed.retry}),i("button",
{type:"button",onClick:edit,children:words.failed.edit})]})]})})]})}function ChatPage({route}){let leaf=route.query.get("leaf"),chat=useChat(route.id,leaf,route.query.get("at"),route.query.get("new")),[options,change]=useOptions(
chat),files=useFiles(chat.sheet),drop=useDrop(files.allowed,files.add),[dialog,setDialog]=w(null),[editing,setEditing]=w(null),[shown,setShown]=w(null);S(()=>{let prepared=takePrepared();
prepared!==null&&chat.send(prepared,[],options)},[chat]);let title=chat.title.value||(chat.id?words.chat.untitled:words.pages.chat);S(()=>{document.title=`${title}\
 · ${words.product}`},[title]);let behind=turn=>{let place=chat.turns.value.indexOf(turn);return place<0?chat.turns.value:chat.turns.value.slice(0,place)},edit=(turn,text,kept)=>{
setEditing(null),chat.send(text,kept,options,turn.parent??NOTHING)};return i("div",{class:drop.over?"chat over":"chat","data-drop":words.chat.drop,...drop.handlers,
children:[i("header",{class:"row between",children:[i("h1",{dir:"auto",children:title}),i("span",{class:"row",children:[chat.ceiling.value&&i("span",{class:"fin\
e",title:words.chat.ceiling,children:fill(words.overview.leftOf,{left:money(chat.ceiling.value.left),limit:money(chat.ceiling.value.limit)})}),chat.turns.value.
length>0&&i("button",{type:"button",title:words.chat.export,"aria-label":words.chat.export,onClick:()=>{exportChat(chat,options.instruction)},children:i(Icon,{name:"\
save"})}),chat.id&&i("button",{type:"button","aria-expanded":dialog==="branches",onClick:()=>setDialog(dialog==="branches"?null:"branches"),children:[i(Icon,{name:"\
branch"}),i("span",{class:"wide",children:words.chat.branches})]})]})]}),i(Log,{chat,refused:unsent=>i(UnsentView,{chat,unsent,options},unsent.key),head:i(Instruction,
{text:options.instruction,begun:chat.turns.value.length>0,change:instruction=>change({instruction})},chat.id),foot:chat.two.value?i(TwoView,{chat,code:setShown}):
chat.failed.value?i(FailedNotice,{failed:chat.failed.value,options,busy:chat.activity.value!=="idle"}):chat.empty.value&&i(EmptyNotice,{empty:chat.empty.value,options,
busy:chat.activity.value!=="idle"}),children:(turn,live,joined,last)=>turn===editing?i(Editor,{turn,send:(text,kept)=>edit(turn,text,kept),close:()=>setEditing(
null)},turn.key):i(TurnView,{chat,turn,live,joined,hit:chat.at!==null&&turn.messages.includes(chat.at),edit:turn.role==="user"&&turn.id&&chat.activity.value==="\
idle"?setEditing:void 0,again:turn.role==="assistant"&&turn.parent&&chat.activity.value==="idle"?(of,model)=>{chat.answerAnew(of,{...options,model:model??options.
model})}:void 0,results:last&&turn.role==="assistant"&&chat.activity.value==="idle"&&!chat.failed.value?results=>{chat.answerCalls(results,options)}:void 0,code:turn.
role==="assistant"?setShown:void 0,goOn:turn.run&&turn.run===chat.newest.value?.id&&turn.segments.length>0?run=>{chat.goOn(run,options)}:void 0,approve:turn.run&&
turn.run===chat.newest.value?.id&&chat.activity.value==="idle"&&may("execute")?(run,yes)=>{chat.approve(run,yes)}:void 0,branch:chat.activity.value==="idle"?to=>go(
"chat",chat.id,{leaf:to}):void 0},turn.key)}),i(Composer,{chat,options,change,onOptions:()=>setDialog("options"),send:(text,attached)=>{chat.send(text,attached,
options)},files}),dialog==="branches"&&chat.id&&i(BranchesBeside,{conversation:chat.id,leaf:chat.turns.value.findLast(turn=>turn.id)?.id??leaf,newest:chat.newest.
value?.id,onLeaf:to=>go("chat",chat.id,{leaf:to})}),dialog==="options"&&i(OptionsDialog,{options,change,close:()=>setDialog(null)}),shown&&i(CodeDialog,{body:programOf(
behind(shown),options),close:()=>setShown(null)})]})}function useChat(id,leaf,at,fresh2){let kept=U(null),begun=U(fresh2),chat=b(()=>{let old=kept.current,anew=fresh2!==
null&&fresh2!==begun.current;return begun.current=fresh2??begun.current,old&&!anew&&old.id===id&&old.leaf===leaf&&old.at===at?old:new Chat(id,leaf,at,(given,branch)=>replace(
"chat",given,branch?{leaf:branch}:{}))},[id,leaf,at,fresh2]);return kept.current=chat,S(()=>(chat.turns.value.length===0&&chat.open(),()=>{kept.current!==chat&&
chat.close()}),[chat]),S(()=>()=>kept.current?.close(),[]),S(()=>{let seen=()=>document.visibilityState==="visible"&&void chat.refresh();return document.addEventListener(
"visibilitychange",seen),()=>document.removeEventListener("visibilitychange",seen)},[chat]),chat}function useDrop(allowed,add){let[over,setOver]=w(!1),has=event=>allowed&&
(event.dataTransfer?.types.includes("Files")??!1);return{over,handlers:{onDragOver:event=>{has(event)&&(event.preventDefault(),setOver(!0))},onDragLeave:event=>{
event.currentTarget.contains(event.relatedTarget)||setOver(!1)},onDrop:event=>{setOver(!1),has(event)&&(event.preventDefault(),event.dataTransfer.files.length&&
add(event.dataTransfer.files))}}}}async function exportChat(chat,instruction){for(;chat.earlier.value&&!chat.error.value;)await chat.showEarlier();if(chat.error.
value)return;let text=markdownOf(chat.title.value,instruction,chat.turns.value);save(new Blob([text],{type:"text/markdown"}),fileName(chat.title.value)),announce(
words.chat.exported)}function useOptions(chat){let{options}=chat.sheet,change=changed=>{changed.model&&prefer({model:changed.model}),options.value={...options.value,
...changed}};S(()=>{readModels().catch(()=>{})},[]);let model=options.value.model||chat.model.value||preferences.value.model||models.value?.[0]||"";return[{...options.
value,model},change]}function programOf(before,options){return{messages:before.map(turn=>({role:turn.role,content:plain(turn.segments)})),...options.instruction&&
{instruction:options.instruction},config:configOf(options)}}function Log({chat,refused,head,foot,children}){let log=U(null),content=U(null),[atEnd,setAtEnd]=w(!0),
turns=chat.turns.value,loading=chat.activity.value==="loading",left=chat.sheet.unsent.value.filter(({key,error})=>key!==chat.sending.value&&(error||!loading)),unsent=unsentAmong(
turns,left,chat.earlier.value!==null),busy=!chat.two.value&&chat.activity.value!=="idle"&&chat.activity.value!=="loading",toEnd=()=>log.current?.scrollTo({top:log.
current.scrollHeight});j(()=>{let box=log.current,follows=!0,toHit=chat.at!==null,height=box.scrollHeight,scrolled=()=>{let near=end2=>end2-box.scrollTop-box.clientHeight<
80,end=near(box.scrollHeight);follows=(end||follows&&near(height))&&!toHit,setAtEnd(end),!end&&!toHit&&box.scrollTop<box.clientHeight&&chat.showEarlier()},grown=new ResizeObserver(
()=>{height=box.scrollHeight;let hit=toHit?box.querySelector(".hit"):null;hit?(hit.scrollIntoView({block:hit.offsetHeight<box.clientHeight/2?"center":"start"}),
hit.contains(document.activeElement)||hit.focus({preventScroll:!0})):follows&&!toHit&&toEnd()}),moved=()=>toHit=!1;grown.observe(content.current);let control=new AbortController,
on={passive:!0,signal:control.signal};box.addEventListener("scroll",scrolled,on);for(let name of["wheel","touchmove","pointerdown","keydown"])box.addEventListener(
name,moved,on);return()=>{grown.disconnect(),control.abort()}},[chat]);let first=U(null);return j(()=>{let shown=log.current.querySelectorAll(".turn:not(.unsent\
)"),place=turns.findIndex(turn=>turn.key===first.current?.key);place>0&&(log.current.scrollTop+=shown[place].offsetTop-first.current.top),first.current=turns[0]?
{key:turns[0].key,top:shown[0].offsetTop}:null},[turns[0]?.key]),i("section",{class:"log",ref:log,tabIndex:0,"aria-label":words.chat.messages,children:[i("div",
{class:"log-content",ref:content,children:[head,chat.earlier.value&&i("button",{type:"button",onClick:()=>{chat.showEarlier()},children:words.chat.earlier}),turns.
length===0&&chat.activity.value==="loading"&&i(Loading,{}),turns.length===0&&chat.activity.value==="idle"&&!chat.error.value&&!foot&&!unsent.size&&i(Empty,{title:words.
chat.empty,children:i("p",{children:words.chat.emptyText})}),unsent.get(null)?.map(refused),turns.flatMap((turn,place)=>[children(turn,busy&&place===turns.length-
1,turn.role==="assistant"&&turns[place-1]?.role==="assistant",place===turns.length-1),...unsent.get(turn)?.map(refused)??[]]),foot,chat.error.value&&i(Refused,{
error:chat.error.value,retry:chat.id?()=>{chat.open()}:void 0})]}),!atEnd&&i("button",{type:"button",class:"to-end","aria-label":words.chat.latest,onClick:toEnd,
children:i(Icon,{name:"down"})})]})}function unsentAmong(turns,unsent,earlier){let found=new Map;for(let one of unsent){let{after}=one,first=after===null&&!earlier,
turn=after===null?void 0:turns.find(({key,messages})=>key===after||messages.includes(after)),place=first?null:turn??turns.at(-1)??null;found.set(place,[...found.
get(place)??[],one])}return found}var loadBranches=()=>import("./branches.5J4AKIVB.js");function BranchesBeside(props){let{file,missing,retry}=useLazy(loadBranches),
Tree=file?.default;return i("aside",{class:"beside","aria-label":words.chat.branches,children:Tree?i(Tree,{...props}):i(NotYet,{missing,retry})})}export{ChatPage as default};
