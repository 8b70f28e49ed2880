import{$,Icon,S,U,i,w}from"./chunk.QMEWQLJE.js";function Drop({label,hint,accept,multiple,busy,onFiles}){let input=U(null),[over,setOver]=w(!1),taken=U(onFiles);return taken.current=onFiles,S(()=>{let control=new AbortController,
on=(name,act)=>addEventListener(name,act,{signal:control.signal}),hasFiles=event=>event.dataTransfer?.types.includes("Files")??!1;return on("dragover",event=>{hasFiles(
event)&&(event.preventDefault(),setOver(!0))}),on("dragleave",event=>event.relatedTarget===null&&setOver(!1)),on("drop",event=>{if(!hasFiles(event))return;event.
preventDefault(),setOver(!1);let files=[...event.dataTransfer.files];files.length&&taken.current(multiple?files:files.slice(0,1))}),()=>control.abort()},[multiple]),
i($,{children:[i("input",{ref:input,type:"file",hidden:!0,accept,multiple,onChange:event=>{let files=[...event.currentTarget.files??[]];event.currentTarget.value=
"",files.length&&onFiles(files)}}),i("button",{type:"button",disabled:busy,onClick:()=>input.current?.click(),children:[i(Icon,{name:"plus"}),label]}),over&&i("\
div",{class:"drop","aria-hidden":"true",children:i("p",{children:hint})})]})}export{Drop};
