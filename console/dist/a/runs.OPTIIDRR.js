import{Growing,SegmentsView,byGateway,detailOf,drawNever,drawSoon,theirs}from"./chunk.Z6TIYD75.js";import{RANGES,fromInput,localInput,rangeOf,spanOf}from"./chunk.5L3GD2V3.js";
import"./chunk.ZZUN5PA5.js";import{useLive}from"./chunk.E77KIYKV.js";import{CsvButton}from"./chunk.N72OJ6AJ.js";import"./chunk.23CIKIEQ.js";
import{Table}from"./chunk.PHD44QW4.js";import{follow,pause}from"./chunk.4GYXU4L6.js";import{Copy}from"./chunk.GT46QTCQ.js";import"./chunk.2GJ4U3AR.js";
import{useLoad}from"./chunk.HV6AWK6K.js";import{Clock}from"./chunk.TZMBYRJR.js";import{admin,go,href,may,me,replace}from"./chunk.EV7FTPOP.js";
import{More,asApiError,useAction,useList}from"./chunk.7L7ZIUJW.js";import"./chunk.FYMJ2TNW.js";import{announce}from"./chunk.I223LIPR.js";import{
$,ApiError,Empty,Icon,Refused,S,State,U,call,compact,count,duration,fill,get,i,isAbort,money,query,timeExact,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var live=status=>status==="queued"||status==="running";function wordOf({status,outcome}){return status==="queued"||status==="running"?status:outcome??(status===
"completed"||status==="cancelled"?status:"failed")}function keyOf({key:key2,key_name}){return key2==null?null:typeof key2=="string"?{id:key2,name:key_name??null}:
{id:key2.id,name:key2.name??null}}var NAMES=["status","model","provider","key","group","error","stored","slow"];function questionOf(address,mayAll){return{...Object.
fromEntries(NAMES.map(name=>[name,address.get(name)??""])),mayAll,all:mayAll&&address.get("whose")!=="own",range:rangeOf(address)}}var filtered=({range,...of})=>NAMES.
some(name=>of[name]!=="")||range.name!==""||range.from!==null||range.to!==null;function addressOf({all,mayAll,range,...filters}){let every={...filters,whose:mayAll&&
!all?"own":"",range:range.name,from:range.from===null?"":String(range.from),to:range.to===null?"":String(range.to)};return Object.fromEntries(Object.entries(every).
filter(([,value])=>value!==""))}var STATUSES=new Set(["queued","running","incomplete"]);function pathOf(of,more){let{from,to}=spanOf(of.range),asked={status:STATUSES.
has(of.status)?of.status:"",outcome:STATUSES.has(of.status)?"":of.status,model:of.model,provider:of.provider,key:of.key,group:of.all?of.group:"",error:of.error,
stored:of.stored===""?"":String(of.stored==="1"),min_duration_ms:of.slow,created_after:from===null?void 0:from-1,created_before:to??void 0,...more};return`${of.
all?"/v1/admin/runs":"/v1/runs"}${query(asked)}`}function fits(run,of){let{from,to}=spanOf(of.range);return(!of.status||wordOf(run)===of.status||run.status===of.
status)&&(!of.model||run.model===of.model)&&(!of.provider||run.provider===of.provider)&&(!of.key||keyOf(run)?.id===of.key)&&(!of.group||run.group===of.group)&&(!of.
error||run.error?.code===of.error)&&(!of.stored||run.stored===(of.stored==="1"))&&(!of.slow||(run.duration_ms??0)>=Number(of.slow))&&(from===null||run.created_at>=
from)&&(to===null||run.created_at<to)}function merge(known,state){return{...known,...state,error:known.error??state.error,continues:known.continues??state.continues,
key:known.key??state.key,key_name:known.key_name??state.key_name}}function whole(run){let ms2=run.created_at_ms??1e3*run.created_at,since=at=>at==null?null:Math.
max(0,1e3*at-ms2);return{...run,stored:run.stored??!0,outcome:run.outcome??null,http_status:run.http_status??null,family:run.family??null,cache:run.cache??null,
cached_from:run.cached_from??null,created_at_ms:ms2,duration_ms:run.duration_ms??since(run.completed_at),first_token_ms:run.first_token_ms??since(run.first_token_at)}}var WORDS=["running","completed","failed","refused","cancelled","client_left"],none={name:"",from:null,to:null},RUN_ID=/^run_[0-9a-f]{32}$/,REQUEST_ID=/^req_[0-9a-f]{32}$/,
RUN=/\brun\b\W+(run_[0-9a-f]{32})/;function RunFilters({of,seen,onChange}){let further=[of.provider,of.key,of.group,of.error,of.stored,of.slow].some(value=>value!==
""),names=value=>[...new Set(seen.map(value))].filter(name=>!!name);return i("search",{class:"run-filters",children:[i("div",{class:"filter-row",children:[admin.
value&&i("label",{children:[words.runs.whose,i("select",{value:of.all?"all":"own",onChange:event=>onChange({all:event.currentTarget.value==="all"}),children:[i(
"option",{value:"all",children:words.runs.all}),i("option",{value:"own",children:words.runs.own})]})]}),i(RangeChoice,{of,onChange}),i("label",{children:[words.
runs.status,i("select",{value:of.status,onChange:event=>onChange({status:event.currentTarget.value}),children:[i("option",{value:"",children:words.runs.any}),WORDS.
map(name=>i("option",{value:name,children:words.runs.words[name]},name))]})]}),i(Text,{name:"model",of,onChange,proposals:names(run=>run.model)}),i(OpenRun,{})]}),
i("details",{open:further,children:[i("summary",{children:words.runs.moreFilters}),i("div",{class:"filter-row",children:[i(Text,{name:"provider",of,onChange,proposals:names(
run=>run.provider)}),i(Text,{name:"key",of,onChange,proposals:names(run=>keyOf(run)?.id)}),of.all&&i(Text,{name:"group",of,onChange,proposals:names(run=>run.group)}),
i(Text,{name:"error",of,onChange,proposals:names(run=>run.error?.code)}),i("label",{children:[words.runs.kept,i("select",{value:of.stored,onChange:event=>onChange(
{stored:event.currentTarget.value}),children:[i("option",{value:"",children:words.runs.any}),i("option",{value:"1",children:words.runs.stored}),i("option",{value:"\
0",children:words.runs.notStored})]})]}),i("label",{children:[words.runs.slow,i("input",{type:"number",min:0,step:100,value:of.slow,onChange:event=>onChange({slow:event.
currentTarget.value.replace(/\D/g,"")})})]})]})]}),filtered(of)&&i("button",{type:"button",class:"bare link",onClick:()=>onChange(nothing),children:words.runs.clear})]})}
function OpenRun(){let open=async input=>{let id=input.value.trim();if(RUN_ID.test(id))return go("runs",id);let told=id&&await lookUp(id);if(told&&RUN_ID.test(told))
return go("runs",told);input.value.trim()===id&&(input.setCustomValidity(told),input.reportValidity())};return i("label",{children:[words.runs.id,i("input",{type:"\
search",placeholder:admin.value?words.runs.idHintAdmin:words.runs.idHint,spellcheck:!1,onInput:event=>event.currentTarget.setCustomValidity(""),onChange:event=>{
open(event.currentTarget)}})]})}async function lookUp(id){if(!admin.value)return words.runs.idWrong;if(!REQUEST_ID.test(id))return words.runs.idWrongAdmin;try{let{
data}=await get(`/v1/admin/log${query({request_id:id})}`);return data.map(({text})=>RUN.exec(text)?.[1]).find(Boolean)??words.runs.idLost}catch(error){return asApiError(
error).status===0?words.state.offline:words.state.refused}}var nothing={status:"",model:"",provider:"",key:"",group:"",error:"",stored:"",slow:"",range:none};function Text({
name,of,onChange,proposals}){let list=`${name}-seen`;return i("label",{children:[words.runs[name],i("input",{type:"search",list,placeholder:words.runs.any,value:of[name],
onChange:event=>onChange({[name]:event.currentTarget.value.trim()})}),i("datalist",{id:list,children:proposals.map(value=>i("option",{value},value))})]})}function RangeChoice({
of:{range},onChange}){let own=range.name===""&&(range.from!==null||range.to!==null),choose=value=>{onChange(value==="own"?{range:{name:"",from:Math.floor(Date.now()/
1e3)-RANGES["24h"],to:null}}:{range:{...none,name:value}})};return i($,{children:[i("label",{children:[words.range.title,i("select",{value:own?"own":range.name,
onChange:event=>choose(event.currentTarget.value),children:[i("option",{value:"",children:words.range.any}),Object.keys(RANGES).map(name=>i("option",{value:name,
children:words.range.last[name]},name)),i("option",{value:"own",children:words.range.own})]})]}),own&&["from","to"].map(end=>i("label",{children:[words.range[end],
i("input",{type:"datetime-local",value:localInput(range[end]),onChange:event=>onChange({range:{...range,[end]:fromInput(event.currentTarget.value)}})})]},end))]})}var span=(from,to)=>from===null||to===null?words.units.none:duration(to-from);function Attempts({run,of}){return i("section",{class:"stack",children:[i("h2",{children:words.
runs.attemptsTitle}),of.some(attempt=>attempt.started_at_ms!==null)&&i(Timeline,{run,of}),i(AttemptTable,{of})]})}function Asked({of}){return i($,{children:[of.
provider??words.units.none,of.key!==null&&i("span",{class:"fine",children:[" ",fill(words.models.keyPlace,{n:of.key})]})]})}function Timeline({run,of}){let begin=Math.
min(run.created_at_ms,...of.map(attempt=>attempt.started_at_ms??1/0)),ends=of.map(attempt=>attempt.ended_at_ms??attempt.first_token_at_ms??attempt.started_at_ms??
begin),end=Math.max(begin+1,run.created_at_ms+(run.duration_ms??0),...ends),share=at=>100*(at-begin)/(end-begin);return i("figure",{class:"card timeline",children:[
i("ul",{"aria-hidden":"true",children:of.map((attempt,i2)=>{if(attempt.started_at_ms===null)return null;let from=share(attempt.started_at_ms),first=attempt.first_token_at_ms===
null?null:share(attempt.first_token_at_ms),to=share(ends[i2]);return i("li",{children:[i("span",{class:"name",children:i(Asked,{of:attempt})}),i("svg",{viewBox:"\
0 0 100 6",preserveAspectRatio:"none",children:[i("rect",{class:"time-all",width:"100",height:"6"}),i("rect",{class:attempt.outcome==="failed"||attempt.outcome===
"lost"?"time-failed":"time-wait",x:from,width:Math.max(.4,(first??to)-from),height:"6"}),first!==null&&i("rect",{class:"time-words",x:first,width:Math.max(.4,to-
first),height:"6"})]}),i("span",{class:"fine",children:span(attempt.started_at_ms,attempt.ended_at_ms)})]},i2)})}),i("figcaption",{children:[i("ul",{class:"lege\
nd",children:["wait","words","failed"].map(name=>i("li",{children:[i("span",{class:`swatch time-${name}`}),words.runs.timeline[name]]},name))}),i("span",{class:"\
fine",children:fill(words.runs.inAll,{time:duration(end-begin)})})]})]})}function AttemptTable({of}){let rows=of.map((attempt,i2)=>({attempt,n:i2+1,wait:i2===0?
null:of[i2-1].ended_at_ms}));return i(Table,{caption:words.runs.attemptsTitle,rows,id:row=>String(row.n),columns:[{title:words.runs.attempt,cell:row=>row.n},{title:words.
runs.provider,cell:({attempt})=>i($,{children:[i(Asked,{of:attempt}),attempt.model&&i("p",{class:"fine",children:i("code",{children:attempt.model})})]})},{title:words.
runs.outcome,cell:({attempt})=>i(Outcome,{of:attempt})},{title:words.runs.wait,numeric:!0,cell:row=>span(row.wait,row.attempt.started_at_ms)},{title:words.runs.
first,numeric:!0,cell:({attempt})=>span(attempt.started_at_ms,attempt.first_token_at_ms)},{title:words.runs.duration,numeric:!0,cell:({attempt})=>span(attempt.started_at_ms,
attempt.ended_at_ms)},{title:words.runs.tokensIn,numeric:!0,cell:({attempt})=>i(Tokens,{of:attempt,which:"prompt_tokens"})},{title:words.runs.tokensOut,numeric:!0,
cell:({attempt})=>i(Tokens,{of:attempt,which:"completion_tokens"})},{title:words.runs.cost,numeric:!0,cell:({attempt})=>money(attempt.cost)}]})}function Outcome({
of}){let kind={running:"going",completed:"good",failed:"bad",cancelled:"",lost:"bad"}[of.outcome];return i($,{children:[i("span",{class:`badge ${kind}`,children:words.
runs.outcomes[of.outcome]}),(of.http_status!==null||of.error_code)&&i("p",{class:"fine",children:[of.http_status," ",i("code",{children:of.error_code})]})]})}var world={call,pause,random:Math.random};function RunStream({run,going,onEnd}){let root=U(null),[end,setEnd]=w(null),[cut,setCut]=w(!1),[empty,setEmpty]=w(!0),
was=U({going,onEnd});return was.current.onEnd=onEnd,S(()=>{let abort=new AbortController,growing=new Growing,view=new SegmentsView(root.current),whole2=!1,drawer=until=>view.
draw(growing.segments,whole2,until);return follow({run},{began:()=>{},block:({event,data})=>{event||data==="[DONE]"||(growing.add(JSON.parse(data)),setEmpty(growing.
segments.length===0),drawSoon(drawer))},cut:()=>setCut(!0),back:()=>setCut(!1)},abort.signal,world).then(how=>{whole2=!0,drawSoon(drawer),setCut(!1),setEnd(how),
was.current.going&&(announce(words.runs.ended),was.current.onEnd())},error=>{if(!isAbort(error))throw error}),()=>{abort.abort(),drawNever(drawer)}},[run]),i("s\
ection",{class:"card stack","aria-label":words.runs.stream,"aria-busy":end===null,children:[i("h2",{children:words.runs.stream}),end?.kind==="gone"?i("p",{class:"\
fine",children:words.runs.streamGone}):i("p",{class:"fine",children:end===null&&going?words.runs.streamLive:words.runs.streamText}),i("div",{class:"content",ref:root}),
cut&&i("p",{class:"fine waiting",children:words.runs.connecting}),end?.kind==="refused"&&i(Refused,{error:end.error}),end&&end.kind!=="gone"&&end.kind!=="refuse\
d"&&empty&&i("p",{class:"fine",children:words.runs.streamEmpty})]})}var request={why:"The request was not valid, so no provider was asked.",help:"The error’s message names the member of the body and says what is allowed. Correct\
 it in the program that sends the request."},key={why:"The call came without a key that the gateway knows, so no provider was asked.",help:"Send a valid key in \
the header Authorization. A key that has expired or was revoked has to be replaced under Keys."},provider={why:"The provider failed.",help:"Most failures of thi\
s kind pass by themselves. If they stay, look at the provider under Models, and add a fallback to the model."},reasons={invalid_json:{why:"The body of the reque\
st is not JSON, so no provider was asked.",help:"Look for trailing bytes, NaN, duplicate keys and bad UTF-8 in what the program sends."},invalid_type:request,invalid_value:request,
missing_required_parameter:request,unknown_parameter:request,unsupported_parameter:request,not_supported_yet:request,bad_request:request,missing_api_key:key,malformed_authorization:key,
invalid_api_key:key,invalid_session:key,invalid_token:{why:"The token of an issuer was not accepted.",help:"Get a new one. The metric parley_token_refusals_tota\
l says what was wrong: time, audience, key, signature."},token_keys_unavailable:{why:"The keys of the token’s issuer could not be fetched.",help:"The log says\
 why, as jwks. See whether the gateway reaches the issuer, and whether the configuration has its address."},insufficient_scope:{why:"The key is valid but lacks \
the scope that this route needs.",help:"Use another key, or add the scope to this one under Keys."},budget_not_enforceable:{why:"The key has a budget, and the m\
ost that this call could cost is not known.",help:"Give the model a price and max_output in the configuration, or send max_tokens with the request."},insufficient_quota:{
why:"The budget of the key is too small for what the call may cost.",help:"Raise the budget under Keys, wait until it resets, or send a smaller max_tokens."},host_not_allowed:{
why:"A gateway without keys answers only local programs; this call came by another name or from a web page.",help:"Call it as 127.0.0.1 or localhost, or make a \
key."},not_found:{why:"What the request names does not exist, or belongs to another key.",help:"Check the id, and with which key it was made."},run_elsewhere:{why:"\
The run began at another gateway and is not stored.",help:"Ask the gateway that began it."},model_not_found:{why:"There is no such model, or the key may not use\
 it.",help:"The error’s message lists the models. Add the name to the configuration, or allow it for the key."},unknown_url:{why:"The gateway has no such rout\
e.",help:"The error’s message names the right path. Usually the base URL of the program lacks /v1, or has it twice."},method_not_allowed:{why:"The route has o\
ther methods.",help:"The header Allow lists them."},gone:{why:"The object existed but is no longer kept.",help:"Nothing can be done; the retention says how long\
 things are kept."},conversation_busy:{why:"Another run of this conversation was still going on.",help:"Send the request again when that run has ended."},idempotency_key_lost:{
why:"The gateway was cut off for a while, and another one has made this call.",help:"The same request again gets its answer."},idempotency_key_reused:{why:"The \
Idempotency-Key was used for another request.",help:"The program must use a new key for each new request."},not_continuable:{why:"The run can’t be continued: it\
 is not the newest, has no answer, or waits for no approval.",help:"Write a new message in the conversation instead."},precondition_failed:{why:"The conversatio\
n was changed by somebody else meanwhile.",help:"Read it again, and repeat the change."},request_too_large:{why:"The body, or a file in it, is larger than allow\
ed.",help:"Raise max_body, or the limit of the key; the error’s message says which of them was met."},unsupported_media_type:{why:"The body is not declared as\
 JSON, or is compressed.",help:"Send Content-Type: application/json, without compression."},rate_limit_exceeded:{why:"A limit of calls or tokens was reached.",help:"\
Wait, as Retry-After says, and repeat. If it happens often, raise the limit, or spread the calls over several providers or keys."},internal_error:{why:"A fault \
of the gateway.",help:"Look for the run’s id in the gateway’s log, and report it."},overloaded:{why:"The gateway had too much to do, or too little memory.",
help:"Repeat the call later. If it stays so, raise max_calls and max_waiting, or give it a larger machine."},computer_unavailable:{why:"The computer that runs c\
ode can’t be reached, or has stopped.",help:"See whether its service runs, and send the message again."},content_blocked:{why:"A hook of the operator’s blocke\
d the request, so no provider was asked.",help:"Send something else. What the hook forbids, its operator knows; the run says which hook it was."},not_cached:{why:"\
The request asked for a kept answer alone, and there is none.",help:"Repeat it without “only”."},group_in_use:{why:"The group can’t be deleted, because keys\
 belong to it.",help:"Move its keys to another group, or revoke them."},websocket_not_supported:{why:"The client asked for a WebSocket, which the gateway does n\
ot have.",help:"Let the client use HTTP with server-sent events; most do so by themselves."},hook_unavailable:{why:"A hook that has to look at the texts gave no\
 verdict, so nothing passed.",help:"See whether its service runs and answers in time, then repeat the call. The gateway’s log names the hook."},draining:{why:"\
The gateway was stopping, and took no new calls.",help:"Repeat the call when it is back."},server_shutting_down:{why:"The gateway was stopped during the answer.",
help:"A stored answer can be continued; others have to be asked for again."},server_stopped:{why:"The gateway ended during the answer: it was killed, or has cra\
shed.",help:"A stored answer can be continued; others have to be asked for again. The system’s log may say why the gateway ended."},exported_unfinished:{why:"\
The archive from which this run was imported was made while its answer was coming.",help:"The archive has no more of the answer. Export the conversation again, \
or continue the answer here."},storage_unavailable:{why:"The database could not be read or written.",help:"See under Settings why: a full disk, or a database th\
at is away. Calls that are not stored still work."},cancelled:{why:"Somebody cancelled the run before its answer began.",help:"Nothing has to be done."},upstream_rejected:{
why:"The provider refused the request.",help:"The error’s message is the provider’s own. Correct what it names; a repetition would be refused again."},upstream_signature_refused:{
why:"The provider refused content that another provider has signed.",help:"Begin a new conversation with this model, or stay with the model that made the conten\
t."},context_length_exceeded:{why:"The prompt is too long for the model.",help:"Send less of the conversation, or use a model with a larger context."},upstream_error:provider,
upstream_bad_response:{why:"The provider sent something that is no answer.",help:"Often base_url leads to a web page or to another API: check it, and the dialec\
t. If it worked before, the provider has a fault."},upstream_connect_failed:{why:"The provider could not be reached.",help:"Check its base_url, DNS and the fire\
wall, and whether its server runs. The gateway’s log names host and port."},upstream_auth_failed:{why:"The provider refused the gateway’s own key. The key of \
the caller is fine.",help:"Put a valid key of this provider into the gateway’s configuration or environment, and reload."},upstream_rate_limited:{why:"The pro\
vider’s limit of calls or tokens was reached a moment before, so it was not asked.",help:"Wait, as Retry-After says. If it happens often, ask the provider for\
 more, or add a second target or a fallback to the model."},upstream_denied:{why:"The provider knows the gateway’s key but does not allow this call.",help:"Us\
ually the account lacks the model, or terms or a region forbid it. The error’s message is the provider’s own."},upstream_credentials_exhausted:{why:"The pro\
vider refused the gateway’s own key a moment ago, and no other provider is left to ask.",help:"Put a valid key of this provider into the configuration, and re\
load."},stream_incomplete:{why:"The provider’s answer broke off.",help:"Repeat the call, or continue it if it is stored. If it happens often, a proxy on the w\
ay may cut streams."},upstream_unavailable:{why:"The provider says that it is unavailable.",help:"It usually passes within minutes. A fallback in the model’s co\
nfiguration bridges it."},no_healthy_upstream:{why:"All targets of the model had failed too often, so none was asked.",help:"Look under Models why they are down\
. Calls go to them again by themselves."},connect_timeout:{why:"The provider was not connected to within timeouts.connect.",help:"Check its address and the netw\
ork. A firewall that drops packets looks like this."},first_byte_timeout:{why:"The provider sent nothing within timeouts.first_byte.",help:"A model that loads o\
r thinks for long needs a larger first_byte; otherwise the provider hangs."},idle_timeout:{why:"The provider fell silent for longer than timeouts.idle.",help:"R\
aise idle if the model makes long pauses; otherwise the provider or the network hangs."},total_timeout:{why:"The answer took longer than timeouts.total.",help:"\
Raise total, or ask for shorter answers."},upstream_timeout:{why:"The model took longer than its provider lets it.",help:"Ask for shorter answers, or for a stre\
am. Another try takes as long."}},otherwise={refused:{why:"The gateway refused the call before it asked a provider.",help:"The error’s message says why."},provider:{
why:"The provider reported an error; its code is the provider’s own.",help:"The error’s message is the provider’s own, too. Correct what it names, or try agai\
n later if it names nothing."},client_left:{why:"The client closed the connection before the answer was complete.",help:"Often its own time limit is shorter tha\
n the answer takes. A stream shows words earlier, and background lets the answer be finished without the client."},limitOfProvider:{why:"The provider’s limit of\
 calls or tokens was reached.",help:"Wait, as Retry-After says. If it happens often, ask the provider for more, or add a second target or a fallback to the mode\
l."},limitOfGateway:{why:"A limit of this key, or of all callers, was reached. No provider was asked.",help:"Wait, as Retry-After says, or raise the limit under\
 Keys."}};function reasonOf(run){if(wordOf(run)==="client_left")return otherwise.client_left;if(!run.error)return null;if(run.error.code==="rate_limit_exceeded")return run.
attempts>0?otherwise.limitOfProvider:otherwise.limitOfGateway;let{code}=run.error;return byGateway({...run.error,asked:run.attempts>0})?reasons[code]??otherwise.
refused:theirs.has(code)&&reasons[code]||otherwise.provider}function Why({of}){let reason=reasonOf(of);return reason?i("div",{class:of.error?"notice bad":"notic\
e",children:[i(Icon,{name:"warn"}),i("div",{children:[i("strong",{children:reason.why}),of.error?.message&&of.stored&&i("p",{dir:"auto",children:detailOf({...of.
error,message:of.error.message,asked:of.attempts>0})}),i("p",{children:reason.help}),of.error&&!of.stored&&i("p",{children:words.runs.noErrorText}),of.error&&i(
"p",{class:"fine",children:[of.http_status!==null&&`${of.http_status} `,i("code",{children:of.error.code}),of.provider&&of.attempts>0&&` · ${words.runs.provider}\
 ${of.provider}`]})]})]}):null}var read=async(path,more)=>{let run=await get(path,more);return{...whole(run),attempt_list:run.attempt_list}};async function find(id,signal){try{return await read(
`/v1/runs/${id}`,{signal})}catch(error){if(!admin.value||!(error instanceof ApiError)||error.status!==404)throw error;return read(`/v1/admin/runs/${id}`,{signal})}}
function RunPage({id}){let of=useLoad(signal=>find(id,signal),[id]);return i("div",{class:"page runs",children:[i("p",{children:i("a",{href:href("runs"),children:words.
runs.back})}),i("header",{class:"row wrap between",children:[i("h1",{children:words.runs.one}),i("p",{class:"fine row run-id",children:[i("code",{children:id}),
i(Copy,{text:id,bare:!0,label:words.runs.copyId})]})]}),i(State,{of,children:run=>i(Details,{run,onChange:of.set,onEnd:of.reload})})]})}function Details({run,onChange,
onEnd}){let own=mine(run);return i($,{children:[i("section",{class:"card stack",children:[i("header",{class:"row wrap between",children:[i("span",{class:"row wr\
ap",children:[i(StatusBadge,{of:run}),run.status==="incomplete"&&i("span",{class:"fine",children:words.runs.incomplete}),!run.stored&&i("span",{class:"badge",children:words.
runs.notStored})]}),own&&i(Actions,{run,onChange})]}),i(Why,{of:run}),i(Facts,{run}),run.continues&&i("p",{children:[words.runs.continues," ",i("a",{href:href("\
runs",run.continues),children:run.continues})]})]}),run.attempt_list&&run.attempt_list.length>0&&i(Attempts,{run,of:run.attempt_list}),own&&(run.stored||live(run.
status))?i(RunStream,{run:run.id,going:live(run.status),onEnd},run.id):i("p",{class:"fine",children:run.stored?words.runs.otherKey:words.runs.notStoredText})]})}
function Facts({run}){let key2=keyOf(run),link=(name,value)=>value===null?words.units.none:i("a",{href:href("runs",null,{[name]:value}),children:value});return i(
"dl",{class:"fact-list",children:[i(Fact,{name:words.runs.begun,value:timeExact(run.created_at_ms)}),i(Fact,{name:words.runs.ended,value:run.duration_ms===null?
words.units.none:timeExact(run.created_at_ms+run.duration_ms)}),i(Fact,{name:words.runs.duration,value:ms(run.duration_ms)}),i(Fact,{name:words.runs.first,value:ms(
run.first_token_ms)}),i(Fact,{name:words.runs.model,value:link("model",run.model)}),i(Fact,{name:words.runs.provider,value:link("provider",run.provider)}),key2&&
i(Fact,{name:words.runs.key,value:admin.value?i("a",{href:href("runs",null,{key:key2.id}),children:key2.name||key2.id}):key2.id}),i(Fact,{name:words.runs.family,
value:run.family??words.units.none}),i(Fact,{name:words.runs.httpStatus,value:run.http_status??words.units.none}),i(Fact,{name:words.runs.finish,value:run.finish_reason??
words.units.none}),i(Fact,{name:words.runs.tokensIn,value:i(Tokens,{of:run,which:"prompt_tokens"})}),i(Fact,{name:words.runs.tokensOut,value:i(Tokens,{of:run,which:"\
completion_tokens"})}),i(Fact,{name:words.runs.cost,value:money(run.cost)}),i(Fact,{name:words.runs.attempts,value:run.attempts}),run.cache&&i(Fact,{name:words.
runs.cache,value:i(Cached,{run})})]})}function Cached({run}){return i($,{children:[words.runs.caches[run.cache],run.cached_from&&i($,{children:[" ",i("a",{href:href(
"runs",run.cached_from),children:words.runs.cachedFrom})]})]})}function Fact({name,value}){return i("div",{children:[i("dt",{children:name}),i("dd",{children:value})]})}
function Actions({run,onChange}){let action=useAction(),cancel=()=>action.run(async()=>{onChange(await read(`/v1/runs/${run.id}/cancel`,{method:"POST"})),announce(
words.runs.cancelled)}),goOn=()=>action.run(async()=>{let answer=await call(`/v1/runs/${run.id}/continue`,{method:"POST",body:{background:!0},headers:{"Idempote\
ncy-Key":crypto.randomUUID()}});go("runs",(await answer.json()).id)});return i("div",{class:"row wrap",children:[may("chat")&&live(run.status)&&i("button",{type:"\
button",class:"danger",disabled:action.busy,onClick:cancel,children:[i(Icon,{name:"stop"}),words.runs.cancel]}),may("chat")&&run.stored&&(run.status==="incomple\
te"||run.status==="cancelled")&&i("button",{type:"button",class:"primary",disabled:action.busy,onClick:goOn,children:[i(Icon,{name:"again"}),words.runs.goOn]}),
run.conversation&&i("a",{class:"button",href:href("chat",run.conversation),children:[i(Icon,{name:"chat"}),words.runs.conversation]}),action.error&&i(Refused,{error:action.
error})]})}var PAGE=50,NEWEST_EACH=4e3,LIVE_MAX=500,CSV_PAGE=100,CSV_MAX=5e3;function Runs({route}){let question=questionOf(route.query,admin.value);return route.id?i(RunPage,
{id:route.id}):i(AllRuns,{of:question})}var ask=(of,limit,after,signal)=>get(pathOf(of,{limit,after:after??void 0}),{signal}).then(page=>({...page,data:page.data.
map(whole)}));function AllRuns({of}){let list=useList((after,signal)=>ask(of,PAGE,after,signal),[addressOf(of)]),livePath=of.range.to!==null?null:`${of.all?"/v1\
/admin/runs":"/v1/runs"}/live`,following=useLive(livePath,states=>list.data&&list.set(taken(list.data,states.map(whole),of)),list.reload);useNewest(livePath!==null,
of,states=>list.data&&list.set(taken(list.data,states,of)));let change=to=>replace("runs",null,addressOf({...of,...to}));return i("div",{class:"page runs",children:[
i("header",{class:"row wrap between",children:[i("h1",{children:words.pages.runs}),i("div",{class:"row wrap",children:[i(Live,{of:following}),i(CsvButton,{path:after=>pathOf(
of,{format:"csv",limit:CSV_PAGE,after}),most:CSV_MAX,name:"runs.csv"})]})]}),i(RunFilters,{of,seen:list.data??[],onChange:change}),i(State,{of:list,empty:data=>data.
length===0&&!list.more,none:i(None,{filtered:filtered(of)}),children:data=>i(Table,{caption:words.pages.runs,rows:data,id:run=>run.id,columns:columnsFor(of)})}),
i(More,{of:list})]})}function useNewest(wanted,of,onStates){let told=U({of,onStates});told.current={of,onStates},S(()=>{if(!wanted)return;let abort=new AbortController,
timer=setInterval(()=>{if(document.visibilityState!=="visible")return;let asked=told.current.of;ask(asked,PAGE,null,abort.signal).then(page=>same(told.current.of,
asked)&&told.current.onStates(page.data),()=>{})},NEWEST_EACH);return()=>{clearInterval(timer),abort.abort()}},[wanted])}var same=(a,b)=>JSON.stringify(addressOf(
a))===JSON.stringify(addressOf(b));function taken(list,states,of){let told=new Map(states.map(run=>[run.id,run])),rows=list.map(row=>{let state=told.get(row.id);
return told.delete(row.id),state?merge(row,state):row}),changed=new Set(states.map(run=>run.id));return[...told.values(),...rows].filter(run=>!changed.has(run.id)||
fits(run,of)).sort((a,b)=>b.created_at_ms-a.created_at_ms).slice(0,Math.max(LIVE_MAX,list.length))}function None({filtered:filtered2}){return i(Empty,{title:filtered2?
words.runs.noneFiltered:words.runs.none,children:filtered2?i("a",{href:href("runs"),children:words.runs.clear}):i("p",{children:words.runs.noneText})})}function Live({
of}){return of==="off"?null:i("span",{class:`live fine ${of}`,children:of==="live"?words.runs.live:words.runs.connecting})}var KINDS={queued:"going",running:"go\
ing",completed:"good",failed:"bad",refused:"warn",cancelled:"",client_left:""};function StatusBadge({of}){let word=wordOf(of);return i("span",{class:`badge ${KINDS[word]}`,
children:words.runs.words[word]})}var ms=value=>value===null?words.units.none:duration(value);function columnsFor(of){let only=to=>href("runs",null,addressOf({...of,
...to}));return[{title:words.runs.begun,cell:run=>i("a",{class:"when",href:href("runs",run.id),children:i(Clock,{at:run.created_at_ms})})},{title:words.runs.status,
cell:run=>i($,{children:[i(StatusBadge,{of:run}),run.error&&i("p",{class:"fine",children:i("a",{class:"quiet",href:only({error:run.error.code}),children:i("code",
{children:run.error.code})})})]})},{title:words.runs.model,cell:run=>i($,{children:[run.model?i("a",{class:"quiet name",href:only({model:run.model}),title:run.model,
children:i("code",{children:run.model})}):words.units.none,run.provider&&i("p",{class:"fine",children:[i("a",{class:"quiet",href:only({provider:run.provider}),children:run.
provider}),run.attempts>1&&` · ${count(run.attempts,words.runs.attemptsMany)}`]})]})},of.all&&{title:words.runs.key,cell:run=>{let key2=keyOf(run);return key2?
i("a",{class:"quiet name",href:only({key:key2.id}),title:key2.id,children:key2.name||key2.id}):words.units.none}},{title:words.runs.duration,numeric:!0,cell:run=>ms(
run.duration_ms)},{title:words.runs.first,numeric:!0,cell:run=>ms(run.first_token_ms)},{title:words.runs.tokens,numeric:!0,cell:run=>run.usage?i(InAndOut,{of:run.
usage,estimated:run.usage_source==="estimated"}):words.units.none},{title:words.runs.cost,numeric:!0,cell:run=>money(run.cost)},{title:words.runs.conversation,cell:run=>i(
Kept,{of:run})}].filter(column=>column!==!1)}function mine(run){let key2=keyOf(run);return key2===null||key2.id===me.value?.id}function Kept({of}){return of.stored?
of.conversation?mine(of)?i("a",{href:href("chat",of.conversation),children:words.runs.open}):i("span",{class:"fine",children:words.runs.stored}):i($,{children:words.
units.none}):i("span",{class:"fine",children:words.runs.notStored})}function InAndOut({of,estimated}){let tokens={in:compact(of.prompt_tokens),out:compact(of.completion_tokens)};
return i("span",{title:estimated?words.runs.estimated:void 0,children:[estimated&&"≈ ",fill(words.runs.inOut,tokens)]})}function Tokens({of,which}){if(!of.usage)
return i($,{children:words.units.none});let value=compact(of.usage[which]);return of.usage_source==="estimated"?i("span",{title:words.runs.estimated,children:["\
≈ ",value]}):i($,{children:value})}export{StatusBadge,Tokens,Runs as default,mine,ms};
