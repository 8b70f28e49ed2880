import{sayAnew}from"./chunk.6M2UHQE2.js";import{FirstKey,Program}from"./chunk.2WPN2VCY.js";import"./chunk.SW4CJ3D4.js";import"./chunk.4UDW7JTC.js";import"./chunk.5HY3WMVQ.js";import"./chunk.SER6J5XD.js";import"./chunk.RADM74XT.js";
import"./chunk.TZ4IDJUY.js";import"./chunk.VTQDAZ2H.js";import{models,readModels}from"./chunk.H7KUG67R.js";import{prefer,preferences}from"./chunk.EBMQKWW4.js";import{go,open}from"./chunk.NGI7EVSS.js";import"./chunk.MKMH2YTP.js";
import"./chunk.GOVBFWQ3.js";import"./chunk.XZC3KRGP.js";import{Icon,S,fill,i,w,words}from"./chunk.BYMXU3CJ.js";import"./chunk.BVIRT4A4.js";var examples={openai:{key:"OPENAI_API_KEY",yaml:`default_model: gpt-4o-mini
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
parley serve --config parley.yaml`}function Start(){let away=()=>{prefer({begun:!0}),go("chat")};return i("div",{class:"start",children:[i("header",{class:"stack",children:[i("h1",{children:words.start.title}),open.value&&i("p",{children:words.start.text})]}),i("div",{class:"\
cards",children:[i(Say,{}),i(Provider,{}),i(FirstKey,{onDone:()=>go("chat")})]}),open.value&&!preferences.value.begun&&i("p",{class:"row wrap fine",children:[i("button",{type:"button",onClick:away,children:words.start.away}),words.start.awayText]})]})}
function Card({icon,title,text,children}){return i("section",{class:"card stack",children:[i("h2",{class:"row",children:[i(Icon,{name:icon}),title]}),i("p",{children:text}),children]})}function Say(){let[text,setText]=w(words.start.sayHello);
return S(()=>{readModels().catch(()=>{})},[]),i(Card,{icon:"chat",title:words.start.say,text:words.start.sayText,children:i("form",{class:"stack",onSubmit:event=>{event.preventDefault(),sayAnew(text)},children:[i("label",{children:[words.chat.
message,i("input",{value:text,onInput:event=>setText(event.currentTarget.value)})]}),i("button",{class:"primary",disabled:!text.trim(),children:[i(Icon,{name:"send"}),fill(words.start.saySend,{model:models.value?.[0]??"echo"})]})]})})}function Provider(){
let[name,setName]=w("openai");return i(Card,{icon:"model",title:words.start.provider,text:words.start.providerText,children:[i("label",{children:[words.start.providerName,i("select",{value:name,onChange:event=>setName(event.currentTarget.value),
children:providerNames.map(one=>i("option",{value:one,children:words.start.providers[one]},one))})]}),i(Program,{title:words.start.copyYaml,text:yamlOf(name)}),i(Program,{title:words.start.check,text:commandsOf(name)})]})}export{Start as default};
