import{announce}from"./chunk.I223LIPR.js";import{Icon,i,w,words}from"./chunk.QMEWQLJE.js";function Copy({text,label=words.actions.copy,bare}){let[done,setDone]=w(!1),copy=async()=>{await navigator.clipboard.writeText(typeof text=="string"?text:text()),
announce(words.actions.copied),setDone(!0),setTimeout(()=>setDone(!1),1500)},says=done?words.actions.copied:label;return i("button",{type:"button",class:bare?"b\
are":void 0,title:label,"aria-label":says,onClick:copy,children:[i(Icon,{name:done?"check":"copy"}),!bare&&says]})}export{Copy};
