import{ApiError,D,J,base,call,credentials,get,isAbort,nameCurrency,words}from"./chunk.QMEWQLJE.js";var route=D(parse(location.hash));function href(name,id,parameters={}){let tail=new URLSearchParams(parameters).toString();return`#/${name}${id?`/${encodeURIComponent(
id)}`:""}${tail?`?${tail}`:""}`}function go(name,id,parameters={}){location.hash=href(name,id,parameters)}function replace(name,id,parameters={}){history.replaceState(
null,"",href(name,id,parameters)),route.value=parse(location.hash)}function parse(hash){let[path="",tail=""]=hash.replace(/^#\/?/,"").split("?",2),[name="",id=""]=path.
split("/",2);return{name,id:id?decode(id):null,query:new URLSearchParams(tail)}}function decode(text){try{return decodeURIComponent(text)}catch{return text}}addEventListener(
"hashchange",()=>{route.value=parse(location.hash)});var defaults={model:"",second:"",instruction:"",temperature:"",max_tokens:"",tools:"",store:!0,lmc:!1,computer:!1},formatOf=options=>options.lmc||options.computer?
"lmc":"openai";function configOf(options){let config={};return options.model&&(config.model=options.model),options.temperature&&(config.temperature=Number(options.
temperature)),options.max_tokens&&(config.max_tokens=Number(options.max_tokens)),options.computer&&(config.computer={}),options.tools.trim()&&(config.tools=JSON.
parse(options.tools)),config}var STORED="parley.unsent";function read(owner2){try{let found=JSON.parse(sessionStorage.getItem(STORED)??"{}");if(found.owner===owner2&&found.chats)return found}catch{}
return{owner:owner2,chats:{}}}function keptUnsent(owner2,conversation){return(read(owner2).chats[conversation??""]??[]).map(one=>({...one,error:one.error&&errorOf(
one.error)}))}function keepUnsent(owner2,conversation,unsent){let kept=read(owner2),place=conversation??"",stay=unsent.filter(({store})=>store);if(!(stay.length===
0&&!(place in kept.chats))){delete kept.chats[place],stay.length&&(kept.chats[place]=stay.map(one=>({...one,error:one.error&&{...one.error,message:one.error.message}})));
try{Object.keys(kept.chats).length?sessionStorage.setItem(STORED,JSON.stringify(kept)):forgetUnsent()}catch{}}}var forgetUnsent=()=>sessionStorage.removeItem(STORED);
function errorOf({status,message,code,request_id,param,retry_after,asked,run,type}){return new ApiError(status,message,code,request_id,param,retry_after,asked,run,
type)}var STORED2="parley.options",MOST=100,NAMES=["temperature","max_tokens","tools","lmc","store"];function read2(owner2){try{let found=JSON.parse(localStorage.getItem(
STORED2)??"{}");return found.owner===owner2&&found.chats||[]}catch{return[]}}function keptOptions(owner2,conversation){return{...defaults,...read2(owner2).find(
([id])=>id===conversation)?.[1]}}function keepOptions(owner2,conversation,options){let changed=Object.fromEntries(NAMES.flatMap(name=>options[name]===defaults[name]?
[]:[[name,options[name]]])),all=read2(owner2),before=all.find(([id])=>id===conversation)?.[1]??{};if(JSON.stringify(before)===JSON.stringify(changed))return;let chats=[
...all.filter(([id])=>id!==conversation),...Object.keys(changed).length?[[conversation,changed]]:[]].slice(-MOST);try{chats.length?localStorage.setItem(STORED2,
JSON.stringify({owner:owner2,chats})):localStorage.removeItem(STORED2)}catch{}}function forgetOptions(){localStorage.removeItem(STORED2),forgetUnsent()}var address=new URL("console/",base).href,BEGUN=`parley.sign-in${base.pathname}`;async function issuers(){return isSecureContext?(await get("/v1/sign-in")).data:
[]}var nameOf=({issuer})=>URL.canParse(issuer)?new URL(issuer).host:issuer;function base64url(bytes){return btoa(String.fromCharCode(...bytes)).replace(/\+/g,"-").
replace(/\//g,"_").replace(/=/g,"")}var random=()=>base64url(crypto.getRandomValues(new Uint8Array(32)));async function leave(to,keep){let begun={state:random(),
verifier:random(),issuer:to.issuer,needsIss:to.needs_iss,keep,hash:location.hash},digest=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(begun.verifier)),
url=new URL(to.authorization_endpoint),parameters={response_type:"code",client_id:to.client_id,redirect_uri:address,scope:to.scope,state:begun.state,code_challenge:base64url(
new Uint8Array(digest)),code_challenge_method:"S256",...to.resource!==null&&{resource:to.resource}};for(let[name,value]of Object.entries(parameters))url.searchParams.
set(name,value);sessionStorage.setItem(BEGUN,JSON.stringify(begun)),location.assign(url)}async function arrive(){let query=new URLSearchParams(location.search);
if(!query.has("state"))return null;let begun=JSON.parse(sessionStorage.getItem(BEGUN)??"null");sessionStorage.removeItem(BEGUN),history.replaceState(null,"",location.
pathname),begun&&location.replace(begun.hash||"#");let code=query.get("code");if(begun?.state!==query.get("state"))throw new ApiError(401,words.signIn.foreign);
if((query.get("iss")??(begun.needsIss?null:begun.issuer))!==begun.issuer)throw new ApiError(401,words.signIn.mixed);if(code===null)throw new ApiError(401,words.
signIn.declined,query.get("error"));let body={issuer:begun.issuer,code,code_verifier:begun.verifier,redirect_uri:address},{token}=await get("/v1/sign-in",{body,
key:""});return{token,keep:begun.keep}}var STORED3=`parley.session${base.pathname==="/"?"":base.pathname}`,TABS_MS=200,DAY_MS=864e5,phase=D("starting"),me=D(null),admin=D(!1),lost=D(null),turnedBack=D(
null),open=J(()=>me.value!==null&&me.value.id===null),session=null,signedInKey=null,owner=null,lostId=null,closing=!1,fromTab=null,tabs=new BroadcastChannel(STORED3),
renewal,late=!1;function may(scope){return scope===null?!0:scope==="admin"?admin.value:me.value?.scopes.includes(scope)??!1}async function start(){if(credentials.
refused=lose,tabs.onmessage=({data})=>hear(data),await arrived())return;session??=stored(),credentials.token=session?.token??"",session&&hold();let other=session?
null:anyHolds().then(any=>any?sessionOfTab():null);try{await learn()}catch(error){let found=refusal(error)&&await other;found?await adopt(found):phase.value==="\
starting"&&(phase.value=refusal(error)?"out":"unreachable")}}async function arrived(){try{let arrival=await arrive();return arrival&&await signIn(arrival.token,
arrival.keep,!1),arrival!==null}catch(error){return turnedBack.value=error instanceof ApiError?error:new ApiError(0,String(error)),!1}}async function signIn(key,keep=!1,lasts=!0){
take({...await get("/v1/session",{body:keep?{keep}:{},key}),keep}),signedInKey=lasts?key:null,turnedBack.value=null,await learn(),tell({kind:"session",session})}
async function signOut(){let ending=session;clearTimeout(renewal);try{await call("/v1/session",{method:"DELETE"})}catch(error){if(!refusal(error))throw planRenewal(),
error}ending&&tell({kind:"out",id:ending.id}),forget()}function tell(news){tabs.postMessage(news)}function hear(news){news.kind==="wanted"&&session&&phase.value===
"in"&&tell({kind:"session",session}),news.kind==="out"&&news.id===(session?.id??lostId)&&forget(),news.kind==="renewed"&&session&&news.of===session.id&&news.session.
expires_at>=session.expires_at&&(take({...session,...news.session}),planRenewal()),news.kind==="session"&&(fromTab?fromTab(news.session):phase.value==="out"&&adopt(
news.session))}var letGo=null;function hold(){if(letGo)return;let over=new Promise(resolve=>letGo=resolve);navigator.locks?.request(STORED3,{mode:"shared"},()=>over)}
async function anyHolds(){return(await navigator.locks?.query())?.held?.some(lock=>lock.name===STORED3)??!0}function sessionOfTab(){return new Promise(resolve=>{
fromTab=found=>{fromTab=null,resolve(found)},setTimeout(()=>fromTab?.(null),TABS_MS),tell({kind:"wanted"})})}async function adopt(found){take(found),await learn().
catch(error=>{phase.value==="starting"&&(phase.value=refusal(error)?"out":"unreachable")})}async function learn(){let found=await get("/v1/me"),mayAdmin=found.scopes.
includes("admin")&&await adminServed();if(lost.value&&owner!==null&&found.owner!==owner)return location.reload();admin.value=mayAdmin,nameCurrency(found.currency??
""),me.value=found,lost.value=null,phase.value="in",session&&take({...session,key_expires_at:found.expires_at}),planRenewal()}async function adminServed(){try{return await(await call(
"/v1/admin/overview")).body?.cancel(),!0}catch(error){if(isAbort(error)||!(error instanceof ApiError)||error.status===0)throw error;return!1}}function refusal(error){
return error instanceof ApiError&&(error.status===401||error.status===403)}function take(next){session=next,hold(),credentials.token=next.token,(next.keep?localStorage:
sessionStorage).setItem(STORED3,JSON.stringify(next))}function read3(storage){try{let found=JSON.parse(storage.getItem(STORED3)??"null");return found&&found.expires_at*
1e3>Date.now()?found:null}catch{return null}}var stored=()=>read3(sessionStorage)??read3(localStorage);function drop(){clearTimeout(renewal),letGo?.(),letGo=null,
credentials.token="",signedInKey=null,sessionStorage.removeItem(STORED3),session?.keep&&localStorage.removeItem(STORED3),session=null}function forget(){drop(),forgetOptions(),
lost.value=null,me.value=null,admin.value=!1,phase.value="out"}function closeGateway(shown){closing=shown}function lose(error,token){if(token!==credentials.token||
phase.value==="out"||!session&&(closing||phase.value==="starting"))return;let kept=session?.keep?read3(localStorage):null;if(kept&&kept.token!==token){adopt(kept);
return}let expired=session?.key_expires_at&&session.key_expires_at*1e3<=Date.now(),end=open.value?"closed":expired?"expired":error.param==="key"?"revoked":"ende\
d";owner=me.value?.owner??null,lostId=session?.id??null,drop(),lost.value=end,phase.value="out"}function planRenewal(){if(clearTimeout(renewal),!session)return;
let left=session.expires_at*1e3-Date.now(),soon=!!session.keep&&left<6*DAY_MS&&!late;late||=soon;let early=1-Math.random()/10;renewal=setTimeout(()=>{renew()},soon?
1e3:Math.max(1e3,early*Math.min(left/2,DAY_MS)))}async function renew(){let old=session;if(!old)return;let last=old.ends_at<=old.expires_at;if(document.visibilityState===
"visible"&&(!last||signedInKey!==null))try{let body=last&&old.keep?{keep:!0}:{},next=await get("/v1/session",{body,key:last?signedInKey:void 0});session?.id===old.
id?(take({...session,...next}),tell({kind:"renewed",of:old.id,session})):last&&await call("/v1/session",{method:"DELETE",key:next.token})}catch{}planRenewal()}export{route,href,go,replace,defaults,formatOf,configOf,keptUnsent,keepUnsent,keptOptions,keepOptions,issuers,nameOf,leave,phase,me,admin,lost,turnedBack,open,may,
start,signIn,signOut,closeGateway};
