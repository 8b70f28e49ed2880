import{sayAnew}from"./chunk.6EMHDGKC.js";import{Copy}from"./chunk.B3IXHBYS.js";import{models,readModels}from"./chunk.ZLOHLQXV.js";import{go,signIn}from"./chunk.IRFBDQZT.js";
import"./chunk.2GBXZFPO.js";import{$,ApiError,Icon,Refused,S,fill,get,i,isAbort,w,words}from"./chunk.IFPLIZX2.js";import"./chunk.NTAP2V3D.js";var examples={openai:{key:"OPENAI_API_KEY",yaml:`default_model: gpt-4o-mini
providers:
  - name: openai
    dialect: openai
    base_url: https://api.openai.com/v1
    api_key_env: OPENAI_API_KEY
    max_tokens_field: max_completion_tokens
models:
  - {name: "*", provider: openai}
`},anthropic:{key:"ANTHROPIC_API_KEY",yaml:`default_model: claude-sonnet-4-5
providers:
  - name: anthropic
    dialect: anthropic
    base_url: https://api.anthropic.com/v1
    api_key_env: ANTHROPIC_API_KEY
models:
  - {name: "*", provider: anthropic}
`},vllm:{key:null,yaml:`providers:
  - name: local
    dialect: openai
    base_url: http://127.0.0.1:8000/v1
models:
  - {name: "*", provider: local}
`},ollama:{key:null,yaml:`providers:
  - name: ollama
    dialect: ollama
    base_url: http://127.0.0.1:11434
    timeouts: {first_byte: 10m}
models:
  - {name: "*", provider: ollama}
`}},providerNames=Object.keys(examples),yamlOf=name=>examples[name].yaml;function commandsOf(name){let{key}=examples[name];return`${key?`export ${key}=...
`:""}parley --check-config --config parley.yaml
parley serve --config parley.yaml`}function Start({route}){let asked=route.name==="start",[nothingSaid,setNothingSaid]=w(!1);return S(()=>{if(asked)return;let abort=new AbortController;return get(
"/v1/conversations?limit=1",{signal:abort.signal}).then(({data})=>data.length>0?go("chat"):setNothingSaid(!0),error=>isAbort(error)||setNothingSaid(!0)),()=>abort.
abort()},[asked]),!asked&&!nothingSaid?null:i("div",{class:"start",children:[i("header",{class:"stack",children:[i("h1",{children:words.start.title}),i("p",{children:words.
start.text})]}),i("div",{class:"cards",children:[i(Say,{}),i(Provider,{}),i(FirstKey,{})]})]})}function Card({icon,title,text,children}){return i("section",{class:"\
card stack",children:[i("h2",{class:"row",children:[i(Icon,{name:icon}),title]}),i("p",{children:text}),children]})}function Say(){let[text,setText]=w(words.start.
sayHello);return S(()=>{readModels().catch(()=>{})},[]),i(Card,{icon:"chat",title:words.start.say,text:words.start.sayText,children:i("form",{class:"stack",onSubmit:event=>{
event.preventDefault(),sayAnew(text)},children:[i("label",{children:[words.chat.message,i("input",{value:text,onInput:event=>setText(event.currentTarget.value)})]}),
i("button",{class:"primary",disabled:!text.trim(),children:[i(Icon,{name:"send"}),fill(words.start.saySend,{model:models.value?.[0]??"echo"})]})]})})}function Provider(){
let[name,setName]=w("openai");return i(Card,{icon:"model",title:words.start.provider,text:words.start.providerText,children:[i("label",{children:[words.start.providerName,
i("select",{value:name,onChange:event=>setName(event.currentTarget.value),children:providerNames.map(one=>i("option",{value:one,children:words.start.providers[one]},
one))})]}),i(Program,{title:words.start.copyYaml,text:yamlOf(name)}),i(Program,{title:words.start.check,text:commandsOf(name)})]})}function Program({title,text}){
return i("div",{class:"stack tight",children:[i("div",{class:"row between fine",children:[title,i(Copy,{bare:!0,text,label:title})]}),i("pre",{class:"snippet",tabIndex:0,
role:"group","aria-label":title,children:text})]})}function FirstKey(){let[name,setName]=w(words.start.keyDefault),[made,setMade]=w(null),[error,setError]=w(null),
make=async event=>{event.preventDefault(),setError(null);try{setMade((await get("/v1/admin/keys",{body:{name,scopes:["chat","read","files","admin"]}})).key)}catch(failure){
setError(failure instanceof ApiError?failure:new ApiError(0,String(failure)))}};return i(Card,{icon:"key",title:words.start.key,text:words.start.keyText,children:[
made?i(Made,{text:made}):error?.status===404?i($,{children:[i("p",{children:words.start.keyElsewhere}),i(Program,{title:words.start.key,text:`parley keys create\
 --name ${name} --scopes chat,read,files,admin`})]}):i("form",{class:"stack",onSubmit:make,children:[i("label",{children:[words.start.keyName,i("input",{required:!0,
maxLength:100,value:name,onInput:event=>setName(event.currentTarget.value)})]}),i("button",{children:words.start.keyMake}),error&&i(Refused,{error})]}),i("p",{class:"\
fine",children:words.start.keyStays})]})}function Made({text}){let[error,setError]=w(null),use=()=>signIn(text).then(()=>go("chat"),setError);return i($,{children:[
i("strong",{children:words.start.keyMade}),i("pre",{class:"snippet secret",tabIndex:0,role:"group","aria-label":words.signIn.key,children:text}),i("div",{class:"\
row",children:[i(Copy,{text}),i("button",{type:"button",class:"primary",onClick:()=>{use()},children:words.start.keyUse})]}),error&&i(Refused,{error})]})}export{Start as default};
