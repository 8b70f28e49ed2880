import{Icon,Loading,S,call,i,offline,w,words}from"./chunk.QMEWQLJE.js";function useLazy(load){let[found,setFound]=w(),[tries,setTries]=w(0),now=found?.load===load?found:null,back=now?.missing==="offline"&&!offline.value;return S(()=>{
if(!load)return;let wanted=!0,set=(file,missing)=>wanted&&setFound({load,file,missing});return load().then(file=>set(file,null),async()=>set(null,await why())),
()=>{wanted=!1}},[load,tries]),S(()=>{back&&setTries(tries+1)},[offline.value]),{file:now?.file??null,missing:now?.missing??null,retry:()=>setTries(tries+1)}}function why(){
return call("/livez").then(()=>"updated",()=>"offline")}function NotYet({missing,retry}){if(!missing)return i(Loading,{});let updated=missing==="updated";return i(
"div",{class:updated?"notice":"notice bad",role:"alert",children:[i(Icon,{name:"warn"}),i("div",{children:[i("strong",{children:updated?words.state.updated:words.
state.offline}),updated&&i("p",{children:words.state.updatedText}),i("button",{type:"button",class:updated?"primary":"",onClick:updated?()=>location.reload():retry,
children:updated?words.state.reload:words.state.retry})]})]})}export{useLazy,NotYet};
