import{pause,pauseAfter,readBlocks}from"./chunk.4GYXU4L6.js";import{ApiError,S,U,call,isAbort,w}from"./chunk.QMEWQLJE.js";var TOGETHER=250;function useLive(path,onStates,onAgain){let[following,setFollowing]=w("connecting"),told=U({onStates,onAgain});return told.current={onStates,onAgain},
S(()=>{if(path===null)return setFollowing("off");let abort=new AbortController,waiting=new Map,turn,tell=()=>{turn=void 0,told.current.onStates([...waiting.values()]),
waiting.clear()};return follow(path,abort.signal,{ready:again=>{setFollowing("live"),again&&told.current.onAgain()},state:run=>{waiting.set(run.id,run),turn??=setTimeout(
tell,TOGETHER)},cut:()=>setFollowing("connecting"),refused:()=>setFollowing("off")}),()=>{clearTimeout(turn),abort.abort()}},[path]),following}async function follow(path,signal,reader){
let cuts=0,again=!1;for(;!signal.aborted;){try{await read(path,signal,reader,()=>{reader.ready(again),again=!0,cuts=0})}catch(error){if(isAbort(error))return;if(error instanceof
ApiError&&error.status>=400&&error.status<500&&error.status!==429)return reader.refused()}cuts+=1,reader.cut(),await pause(pauseAfter(cuts,Math.random()),signal).
catch(()=>{})}}async function read(path,signal,reader,ready){let answer=await call(path,{signal,headers:{Accept:"text/event-stream"}});for await(let{event,data}of readBlocks(
answer)){if(event)return;let{object,error_code,...state}=JSON.parse(data);object==="ready"?ready():reader.state({...state,error:error_code===null?null:{code:error_code},
continues:null})}}export{useLive};
