import{D,i}from"./chunk.QMEWQLJE.js";var said=D("");function announce(text){said.value="",requestAnimationFrame(()=>{said.value=text})}function Announcer(){return i("p",{class:"unseen",role:"status",
"aria-live":"polite",children:said})}export{announce,Announcer};
