import{NotYet,useLazy}from"./chunk.WFE3HSTS.js";import{prefer,preferences}from"./chunk.J4YQBIBB.js";import{admin,go,href,issuers,leave,lost,may,me,nameOf,
open,phase,route,signIn,signOut,start,turnedBack}from"./chunk.EV7FTPOP.js";import{useAction}from"./chunk.7L7ZIUJW.js";import{Dialog}from"./chunk.FYMJ2TNW.js";
import{Announcer}from"./chunk.I223LIPR.js";import{$,ApiError,D,Empty,Icon,Loading,Refused,S,U,b,he,i,offline,w,words}from"./chunk.QMEWQLJE.js";import"./chunk.NTAP2V3D.js";var keyboardShown=D(!1),letters={"/":()=>go("conversations",null,{focus:"search"}),n:()=>go("chat",null,{new:crypto.randomUUID()}),"?":()=>keyboardShown.value=!0};
addEventListener("keydown",event=>{let action=letters[event.key];!action||!preferences.value.letters||event.ctrlKey||event.metaKey||event.altKey||event.target instanceof
Element&&event.target.closest("input, textarea, select, dialog")||(event.preventDefault(),action())});var rows=[["/","search"],["n","new"],["Enter","send"],["Sh\
ift Enter","break"],["Esc","stop"],["?","help"]];function KeyboardList(){return i(Dialog,{title:words.keyboard.title,onClose:()=>keyboardShown.value=!1,children:[
i("dl",{class:"keys",children:rows.map(([keys,name])=>i("div",{children:[i("dt",{children:keys.split(" ").map(key=>i("kbd",{children:key},key))}),i("dd",{children:words.
keyboard[name]})]},name))}),i("label",{class:"choice",children:[i("input",{type:"checkbox",checked:preferences.value.letters,onChange:event=>prefer({letters:event.
currentTarget.checked})}),words.keyboard.letters]})]})}var seldom=name=>async()=>({default:(await import("./admin.FEKJXDMW.js"))[name]}),pages=[{name:"start",scope:null,icon:"spark",menu:!0,load:()=>import("./start.DMNNC6FM.js")},
{name:"chat",scope:"chat",icon:"chat",menu:!1,load:()=>import("./chat.6J55Z5T7.js")},{name:"conversations",scope:"read",icon:"list",menu:!0,load:()=>import("./conversations.CYYIZ7NJ.js")},
{name:"overview",scope:null,icon:"gauge",menu:!0,load:()=>import("./overview_page.ZLNOBRVH.js")},{name:"runs",scope:"read",icon:"pulse",menu:!0,load:()=>import("./runs.OPTIIDRR.js")},
{name:"usage",scope:null,icon:"bars",menu:!0,load:()=>import("./usage.SGOLDX6F.js")},{name:"files",scope:"files",icon:"file",menu:!0,load:()=>import("./files.FOEHFXBB.js")},
{name:"keys",scope:"admin",icon:"key",menu:!0,admin:!0,load:seldom("keys")},{name:"groups",scope:"admin",icon:"people",menu:!0,admin:!0,load:seldom("groups")},{
name:"models",scope:null,icon:"model",menu:!0,admin:!0,load:seldom("models")},{name:"audit",scope:"admin",icon:"check",menu:!0,admin:!0,load:seldom("audit")},{name:"\
log",scope:"admin",icon:"lines",menu:!0,admin:!0,load:seldom("log")},{name:"settings",scope:null,icon:"gear",menu:!0,admin:!0,load:seldom("settings")}];function pageOf(name){
return pages.find(page=>page.name===name)}function menu(){return pages.filter(page=>page.menu&&may(page.scope)&&(page.name!=="start"||open.value))}function SignIn(){return i("main",{id:"main",class:"sign-in",tabIndex:-1,children:[i("p",{class:"brand",children:words.product}),i("h1",{children:words.signIn.title}),
lost.value&&i(Ended,{}),i(KeyForm,{})]})}function SignInAgain(){let element=U(null),show=()=>phase.value==="out"&&!element.current?.open&&element.current?.showModal();
return S(()=>{show()},[]),i("dialog",{ref:element,class:"sign-in again","aria-labelledby":"sign-in-again",onCancel:event=>event.preventDefault(),onClose:show,children:[
i("p",{class:"brand",children:words.product}),i("h1",{id:"sign-in-again",children:words.signIn.title}),i(Ended,{stays:!0}),i(KeyForm,{})]})}function Ended({stays}){
return i("div",{class:"notice",role:"alert",children:[i(Icon,{name:"warn"}),i("div",{children:[i("strong",{children:words.signIn.ends[lost.value??"ended"]}),stays&&
lost.value!=="closed"&&i("p",{children:words.signIn.stays})]})]})}function KeyForm(){let[key,setKey]=w(""),[keep,setKeep]=w(!1),[busy,setBusy]=w(!1),[error,setError]=w(
null);return i("form",{onSubmit:async event=>{event.preventDefault(),setBusy(!0),setError(null);try{await signIn(key.trim(),keep)}catch(failure){setError(failure instanceof
ApiError?failure:new ApiError(0,String(failure))),setBusy(!1)}},children:[i("p",{children:words.signIn.text}),i("label",{children:[words.signIn.key,i("input",{type:"\
password",autocomplete:"current-password",required:!0,value:key,onInput:event=>setKey(event.currentTarget.value)})]}),i("label",{class:"choice",children:[i("inp\
ut",{type:"checkbox",checked:keep,onChange:event=>setKeep(event.currentTarget.checked)}),words.signIn.keep]}),(error??turnedBack.value)&&i(Refused,{error:error??
turnedBack.value}),i("button",{class:"primary",disabled:busy,children:busy?words.signIn.busy:words.signIn.submit}),i("p",{class:"fine",children:keep?words.signIn.
noteKept:words.signIn.note}),i(Issuers,{keep})]})}function Issuers({keep}){let[list,setList]=w([]),[error,setError]=w(null);S(()=>{issuers().then(setList,()=>{})},
[]);let go2=to=>{leave(to,keep).catch(failure=>setError(new ApiError(0,String(failure))))};return i($,{children:[list.map(one=>i("button",{type:"button",onClick:()=>go2(
one),children:words.signIn.with(nameOf(one))},one.issuer)),error&&i(Refused,{error})]})}var LEFT="parley.left",menuShown=D(!1);function App(){return i($,{children:[offline.value&&i("p",{class:"offline",role:"status",children:words.frame.offline}),i(
Phase,{}),i(Announcer,{}),keyboardShown.value&&i(KeyboardList,{})]})}function Phase(){let away=phase.value==="unreachable"&&!offline.value;S(()=>{away&&start()},
[away]);let again=phase.value==="out"&&lost.value!==null&&me.value!==null;return phase.value==="out"&&!again?i(SignIn,{}):phase.value!=="in"&&!again?i("main",{id:"\
main",children:phase.value==="starting"&&i(Loading,{})}):i($,{children:[i(Frame,{}),again&&i(SignInAgain,{})]})}function useDrawer(){let shown=menuShown.value;S(
()=>{menuShown.value=!1},[route.value]),S(()=>{if(!shown)return;let button=document.getElementById("menu-button"),close=event=>{event.key!=="Escape"||event.defaultPrevented||
(menuShown.value=!1,button?.focus())};return document.querySelector("#menu a, #menu button")?.focus(),addEventListener("keydown",close),()=>removeEventListener(
"keydown",close)},[shown])}function Frame(){useDrawer();let first=b(home,[route.value.name]),page=pageOf(route.value.name||first);return i("div",{class:"frame",
"data-menu":menuShown.value?"shown":void 0,children:[i("a",{class:"skip",href:"#main",onClick:focusMain,children:words.frame.skip}),i(Header,{}),i(Menu,{current:page}),
menuShown.value&&i("div",{class:"behind",onClick:()=>menuShown.value=!1}),i(Main,{page:page&&may(page.scope)?page:void 0})]})}function home(){let left=sessionStorage.
getItem(LEFT);return left&&pageOf(left)?left:open.value&&!preferences.value.begun?"start":may("chat")?"chat":menu()[0]?.name??"usage"}function Header(){return i(
"header",{class:"top",children:[i("a",{class:"brand",href:"#/",children:words.product}),i("button",{type:"button",id:"menu-button",class:"bare menu-button","ari\
a-expanded":menuShown.value,"aria-controls":"menu",onClick:()=>menuShown.value=!menuShown.value,children:[i(Icon,{name:"menu"}),i("span",{class:"unseen",children:words.
frame.menu})]})]})}function Menu({current}){let own=menu().filter(page=>!administers(page)),administration=menu().filter(administers);return i("div",{class:"sid\
e",id:"menu",children:[may("chat")&&i("div",{class:"row begin",children:[i("a",{class:"button",href:"#/chat",onClick:newChat,children:[i(Icon,{name:"plus"}),words.
frame.newChat]}),may("read")&&i("a",{class:"button",href:href("conversations",null,{focus:"search"}),title:words.chats.search,"aria-label":words.chats.search,children:i(
Icon,{name:"search"})})]}),may("read")&&i(LazyChats,{}),i("nav",{class:"pages","aria-label":words.frame.pages,children:[i(Links,{pages:own,current}),administration.
length>0&&i(Administration,{pages:administration,current})]}),i(Account,{})]})}var administers=page=>admin.value&&page.admin;function Administration({pages:pages2,
current}){let within=current!==void 0&&pages2.includes(current),[shown,setShown]=w(within||preferences.value.administration),box=U(null);S(()=>{within&&setShown(
!0)},[within]);let turn=event=>{event.preventDefault(),setShown(!shown),prefer({administration:!shown})};return S(()=>{shown&&box.current?.querySelector("[aria-\
current]")?.scrollIntoView({block:"nearest"})},[shown,current,menuShown.value]),i("details",{ref:box,open:shown,children:[i("summary",{onClick:turn,children:[i(
Icon,{name:"chevron"}),words.frame.admin]}),i(Links,{pages:pages2,current})]})}function newChat(event){route.value.name!=="chat"||route.value.id||(event.preventDefault(),
go("chat",null,{new:crypto.randomUUID()}))}var loadChats=()=>import("./chats.QSOWMHEU.js");function LazyChats(){let{file,missing,retry}=useLazy(loadChats),
Shown=file?.default;return Shown?i(Shown,{},me.value?.id):missing?i(NotYet,{missing,retry}):i("div",{class:"chats"})}function Links({pages:pages2,current}){return i(
"ul",{children:pages2.map(page=>i("li",{children:i("a",{href:href(page.name),"aria-current":page===current?"page":void 0,children:[i(Icon,{name:page.icon}),words.
pages[page.name]]})},page.name))})}var themes=["auto","light","dark"];function Account(){let leaving=useAction(),{error}=leaving;return i("div",{class:"account",
children:[error&&i(Refused,{error,title:error.status===0?words.frame.notOutAway:words.frame.notOut}),i("p",{children:open.value?words.frame.openGateway:me.value?.
name??me.value?.id}),i("div",{class:"row",children:[i("select",{"aria-label":words.frame.theme,value:preferences.value.theme,onChange:event=>prefer({theme:event.
currentTarget.value}),children:themes.map(theme=>i("option",{value:theme,children:words.frame.themes[theme]},theme))}),i("button",{type:"button",class:"bare",title:words.
frame.keyboard,onClick:()=>keyboardShown.value=!0,children:[i(Icon,{name:"keyboard"}),i("span",{class:"unseen",children:words.frame.keyboard})]}),!open.value&&i(
"button",{type:"button",class:"bare",title:words.frame.signOut,disabled:leaving.busy,onClick:()=>leaving.run(signOut),children:[i(Icon,{name:"out"}),i("span",{class:"\
unseen",children:words.frame.signOut})]})]})]})}function Main({page}){let{file,missing,retry}=useLazy(page?.load??null),Shown=file?.default,before=U(void 0);return S(
()=>{document.title=page?`${words.pages[page.name]} · ${words.product}`:words.product,before.current&&before.current!==page&&focusMain(),before.current=page,page&&
sessionStorage.setItem(LEFT,page.name)},[page]),i("main",{id:"main",tabIndex:-1,"data-page":page?.name,inert:menuShown.value,children:page?Shown?i(Shown,{route:route.
value}):i(NotYet,{missing,retry}):i(Unknown,{})})}function Unknown(){return i(Empty,{title:words.frame.unknown,children:[i("p",{children:words.frame.unknownText}),
i("a",{href:"#/",children:words.frame.home})]})}function focusMain(event){event?.preventDefault(),document.getElementById("main")?.focus()}he(i(App,{}),document.getElementById("app"));start();
