import{ApiError,isAbort}from"./chunk.QMEWQLJE.js";var p=class extends Error{constructor(n,s){super(n),this.name="ParseError",this.type=s.type,this.field=s.field,this.value=s.value,this.line=s.line}},L=10,_=13,g=32;
function $(d){}function q(d){if(typeof d=="function")throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEven\
t: fn})`?");let{onEvent:n=$,onError:s=$,onRetry:F=$,onComment:O,maxBufferSize:m}=d,l=[],x=0,y=!0,C,a="",f=0,c,E=!1;function j(t){if(E)throw new Error("Cannot fe\
ed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");if(y&&(y=!1,t.charCodeAt(0)===239&&t.charCodeAt(
1)===187&&t.charCodeAt(2)===191&&(t=t.slice(3))),l.length===0){let i=h(t);i!==""&&(l.push(i),x=i.length),b();return}if(t.indexOf(`
`)===-1&&t.indexOf("\r")===-1){l.push(t),x+=t.length,b();return}l.push(t);let e=l.join("");l.length=0,x=0;let r=h(e);r!==""&&(l.push(r),x=r.length),b()}function b(){
m!==void 0&&(x+a.length<=m||(E=!0,l.length=0,x=0,C=void 0,a="",f=0,c=void 0,s(new p(`Buffered data exceeded max buffer size of ${m} characters`,{type:"max-buffe\
r-size-exceeded"}))))}function h(t){let e=0;if(t.indexOf("\r")===-1){let r=t.indexOf(`
`,e);for(;r!==-1;){if(e===r){f>0&&n({id:C,event:c,data:a}),C=void 0,a="",f=0,c=void 0,e=r+1,r=t.indexOf(`
`,e);continue}let i=t.charCodeAt(e);if(S(t,e,i)){let o=t.charCodeAt(e+5)===g?e+6:e+5,A=t.slice(o,r);if(f===0&&t.charCodeAt(r+1)===L){n({id:C,event:c,data:A}),C=
void 0,a="",c=void 0,e=r+2,r=t.indexOf(`
`,e);continue}a=f===0?A:`${a}
${A}`,f++}else z(t,e,i)?c=t.slice(t.charCodeAt(e+6)===g?e+7:e+6,r)||void 0:w(t,e,r);e=r+1,r=t.indexOf(`
`,e)}return t.slice(e)}for(;e<t.length;){let r=t.indexOf("\r",e),i=t.indexOf(`
`,e),o=-1;if(r!==-1&&i!==-1?o=r<i?r:i:r!==-1?r===t.length-1?o=-1:o=r:i!==-1&&(o=i),o===-1)break;w(t,e,o),e=o+1,t.charCodeAt(e-1)===_&&t.charCodeAt(e)===L&&e++}return t.
slice(e)}function w(t,e,r){if(e===r){B();return}let i=t.charCodeAt(e);if(S(t,e,i)){let v=t.charCodeAt(e+5)===g?e+6:e+5,P=t.slice(v,r);a=f===0?P:`${a}
${P}`,f++;return}if(z(t,e,i)){c=t.slice(t.charCodeAt(e+6)===g?e+7:e+6,r)||void 0;return}if(i===105&&t.charCodeAt(e+1)===100&&t.charCodeAt(e+2)===58){let v=t.slice(
t.charCodeAt(e+3)===g?e+4:e+3,r);v.includes("\0")||(C=v);return}if(i===58){if(O){let v=t.slice(e,r);O(v.slice(t.charCodeAt(e+1)===g?2:1))}return}let o=t.slice(e,
r),A=o.indexOf(":");if(A===-1){I(o,"",o);return}let R=o.slice(0,A),T=o.charCodeAt(A+1)===g?2:1,U=o.slice(A+T);I(R,U,o)}function I(t,e,r){switch(t){case"event":c=
e||void 0;break;case"data":a=f===0?e:`${a}
${e}`,f++;break;case"id":e.includes("\0")||(C=e);break;case"retry":/^\d+$/.test(e)?F(parseInt(e,10)):s(new p(`Invalid \`retry\` value: "${e}"`,{type:"invalid-re\
try",value:e,line:r}));break;default:s(new p(`Unknown field "${t.length>20?`${t.slice(0,20)}…`:t}"`,{type:"unknown-field",field:t,value:e,line:r}));break}}function B(){
f>0&&n({id:C,event:c,data:a}),C=void 0,a="",f=0,c=void 0}function D(t={}){if(t.consume&&l.length>0){let e=l.join("");w(e,0,e.length)}y=!0,C=void 0,a="",f=0,c=void 0,
l.length=0,x=0,E=!1}return{feed:j,reset:D}}function S(d,n,s){return s===100&&d.charCodeAt(n+1)===97&&d.charCodeAt(n+2)===116&&d.charCodeAt(n+3)===97&&d.charCodeAt(
n+4)===58}function z(d,n,s){return s===101&&d.charCodeAt(n+1)===118&&d.charCodeAt(n+2)===101&&d.charCodeAt(n+3)===110&&d.charCodeAt(n+4)===116&&d.charCodeAt(n+5)===
58}var PIECE=16384,WORK=8;async function*readBlocks(answer){let blocks=[],parser=q({onEvent:block=>blocks.push(block)}),decoder=new TextDecoder,reader=answer.body.
getReader(),begun=performance.now();try{for(;;){let{value,done}=await reader.read();if(done)return;let text=decoder.decode(value,{stream:!0});for(let at=0;at<text.
length;at+=PIECE)parser.feed(text.slice(at,at+PIECE)),yield*blocks,blocks=[],!(performance.now()-begun<WORK)&&(await giveWay(),begun=performance.now())}}finally{
reader.cancel().catch(()=>{})}}function giveWay(){return new Promise(resume=>setTimeout(resume))}var FIRST_PAUSE=250,LONGEST_PAUSE=5e3;async function follow(source,sink,signal,world){let run="run"in source?source.run:null,last=null,cuts=0;for(;;){let pauseAtLeast=0;
try{let answer=run?await world.call(`/v1/runs/${run}/events`,{headers:last?{"Last-Event-ID":last}:{},signal}):await begin(source,signal,world);if(answer.status===
204)return{kind:"done"};run=answer.headers.get("X-Run-Id")??run,run&&sink.began(run,answer.headers.get("X-Conversation-Id")),cuts>0&&sink.back();for await(let block of readBlocks(
answer)){if(cuts=0,last=block.id??last,sink.block(block),block.event==="done")return{kind:"done"};if(block.event==="error")return{kind:"failed"}}}catch(error){if(isAbort(
error))throw error;if(error instanceof ApiError&&error.status!==0){if(run&&(error.status===410||error.status===404))return{kind:"gone"};if(!run||error.status<500)
return{kind:"refused",error};pauseAtLeast=(error.retry_after??0)*1e3}}cuts+=1,sink.cut(cuts),await world.pause(Math.max(pauseAtLeast,pauseAfter(cuts,world.random())),
signal)}}function begin(source,signal,world){if("run"in source)throw new Error("a run is known from the start");let headers={"Idempotency-Key":source.key};return world.
call(source.path,{body:source.body,headers,signal})}function pauseAfter(cuts,random){return Math.min(LONGEST_PAUSE,FIRST_PAUSE*2**(cuts-1))*(.5+random/2)}function pause(ms,signal){
return new Promise((resume,reject)=>{let stop=()=>{clearTimeout(timer),reject(new DOMException("stopped","AbortError"))},timer=setTimeout(()=>{signal.removeEventListener(
"abort",stop),resume()},ms);signal.aborted&&stop(),signal.addEventListener("abort",stop,{once:!0})})}export{readBlocks,follow,pauseAfter,pause};
