import{Icon,K,S,U,i,words}from"./chunk.QMEWQLJE.js";function Dialog({title,onClose,children}){let element=U(null),id=K();return S(()=>{element.current?.showModal()},[]),i("dialog",{ref:element,"aria-labelledby":id,
onClose,children:[i("header",{children:[i("h2",{id,children:title}),i("button",{type:"button",class:"bare","aria-label":words.actions.close,onClick:()=>element.
current?.close(),children:i(Icon,{name:"close"})})]}),children]})}export{Dialog};
