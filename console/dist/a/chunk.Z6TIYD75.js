import{picture}from"./chunk.ZZUN5PA5.js";import{announce}from"./chunk.I223LIPR.js";import{call,duration,fill,money,words}from"./chunk.QMEWQLJE.js";function addStored(segments,message){for(let file2 of message.context?.files??[])segments.push({type:"file",name:file2.name??file2.uuid??"",id:file2.uuid??null,
text:file2.content??""});if(message.lmc){message.reasoning_content&&add(segments,"reasoning",message.reasoning_content);for(let one of message.lmc)addLmc(segments,
{...one,start:!0})}else message.type?addLmc(segments,{...message,start:!0}):addDelta(segments,message,new Map)}var thought=new WeakMap,Growing=class{constructor(earlier=[],timed=!1){
this.earlier=earlier;this.timed=timed}earlier;timed;segments=[];calls=new Map;finish=null;began=0;add(chunk){let before=this.segments.at(-1);if("type"in chunk)addLmc(
this.segments,chunk);else for(let choice of chunk.choices??[])addDelta(this.segments,choice.delta,this.calls);return this.finish=("type"in chunk?chunk.finish_reason:
chunk.choices?.[0]?.finish_reason)??this.finish,this.timed&&this.time(before),!("type"in chunk)||chunk.type!=="console"||chunk.format!=="active_line"?!1:!hasCode(
this.segments)&&activate(this.earlier,chunk.content)}end(){activate(this.segments,null)||activate(this.earlier,null)}time(before){let last=this.segments.at(-1);
last?.type==="reasoning"&&before!==last&&(this.began=performance.now()),before?.type==="reasoning"&&!thought.has(before)&&before!==last&&thought.set(before,performance.
now()-this.began)}},hasCode=segments=>segments.some(segment=>segment.type==="code");function add(segments,type,text2){let last=segments.at(-1);last?.type===type?
last.text+=text2:segments.push({type,text:text2})}function addDelta(segments,delta,calls){if(delta.role==="tool"&&typeof delta.content=="string"){segments.push(
{type:"result",text:delta.content,...delta.tool_call_id&&{id:delta.tool_call_id}});return}let reasoning2=delta.reasoning_content??delta.reasoning;if(reasoning2&&
add(segments,"reasoning",reasoning2),typeof delta.content=="string")delta.content&&add(segments,"text",delta.content);else if(Array.isArray(delta.content))for(let part of delta.
content)addPart(segments,part);delta.refusal&&add(segments,"text",delta.refusal);for(let image3 of delta.images??[])segments.push({type:"image",text:image3.image_url?.
url??""});(delta.tool_calls??[]).forEach((call2,place)=>addCall(segments,call2,call2.index??place,calls))}function addCall(segments,call2,index,calls){let segment=calls.
get(index);segment||(segment={type:"call",name:"",text:""},calls.set(index,segment),segments.push(segment)),segment.type==="call"&&(segment.name+=call2.function?.
name??"",call2.id&&(segment.id=call2.id)),segment.text+=call2.function?.arguments??""}function addPart(segments,part){part.text!==void 0?add(segments,"text",part.
text):part.image_url?segments.push({type:"image",text:part.image_url.url,part}):part.file?segments.push({type:"file",name:part.file.filename??part.type,id:part.
file.file_id??null,text:"",part}):segments.push({type:"file",name:part.type,id:null,text:"",part})}function addLmc(segments,lmc){let content=typeof lmc.content==
"string"?lmc.content:"",last=segments.at(-1),opens=lmc.start===!0;switch(lmc.type){case"message":opens?segments.push({type:"text",text:content}):add(segments,"t\
ext",content);return;case"code":opens||last?.type!=="code"?segments.push({type:"code",language:lmc.format??"",text:content,active:null}):last.text+=content;return;case"\
console":lmc.format==="active_line"?activate(segments,lmc.content):content&&add(segments,"console",content);return;case"tool_call":opens||last?.type!=="call"?segments.
push({type:"call",name:lmc.format??"",text:content}):last.text+=content;return;case"image":content&&segments.push({type:"image",text:imageAddress(lmc.format??"",
content)});return;case"confirmation":{let code2=lmc.content;segments.push({type:"confirmation",language:code2?.format??"",text:code2?.content??""});return}case"\
error":{let error=lmc.content;segments.push({type:"error",text:typeof error=="string"?error:error?.message??""});return}case"file":segments.push({type:"file",name:content,
id:null,text:""})}}function activate(segments,line){let code2=segments.findLast(segment=>segment.type==="code");return code2?.type==="code"&&(code2.active=line===
null||line===""?null:Number(line)),code2!==void 0}function imageAddress(format,content){let kind=/^base64(?:\.(png|jpeg|gif|webp))?$/.exec(format);return kind?`\
data:image/${kind[1]??"png"};base64,${content}`:content}function openCalls(segments){let answered=new Set(segments.map(segment=>segment.type==="result"?segment.
id:void 0)),last=segments.at(-1)?.type;return last!=="call"&&last!=="result"?[]:segments.filter(one=>one.type==="call").filter(({id})=>id!==void 0&&!answered.has(
id))}function plain(segments){return segments.filter(segment=>segment.type==="text").map(segment=>segment.text).join(`

`)}var enclosedIn=segments=>segments.filter(one=>one.type==="file"||one.type==="image");function userMessage(segments){let text2=plain(segments),parts=[],files=[];
for(let one of enclosedIn(segments))one.part?parts.push(one.part):one.type==="image"?parts.push({type:"image_url",image_url:{url:one.text}}):files.push(one.id?{
uuid:one.id,name:one.name}:{name:one.name,content:one.text});return{role:"user",content:parts.length?[...text2?[{type:"text",text:text2}]:[],...parts]:text2,...files.
length&&{context:{files}}}}var ours={server_error:["internal_error","overloaded","computer_unavailable","hook_unavailable","token_keys_unavailable","draining","storage_unavailable","serve\
r_shutting_down","server_stopped","exported_unfinished","no_healthy_upstream","cancelled"],invalid_request_error:["content_blocked"],conflict_error:["conversati\
on_busy","idempotency_key_lost"],permission_error:["budget_not_enforceable"],insufficient_quota:["insufficient_quota"]},theirs=new Set(["upstream_rejected","ups\
tream_signature_refused","upstream_rate_limited","upstream_error","upstream_bad_response","upstream_connect_failed","upstream_auth_failed","upstream_denied","up\
stream_credentials_exhausted","upstream_unavailable","upstream_timeout","stream_incomplete","connect_timeout","first_byte_timeout","idle_timeout","total_timeout",
"context_length_exceeded"]);function byGateway({code:code2,type,param,asked:asked2}){return theirs.has(code2??"")?!1:asked2?code2===null||code2==="insufficient_\
quota"&&!param?!1:type?ours[type]?.includes(code2)??!1:Object.values(ours).some(codes=>codes.includes(code2)):!0}var LEFT=/, and ([\d.]+) (?:is|are) left of /,SUMS=/(?<= may cost up to )[\d.]+(?=,)|[\d.]+(?= is left of )|(?<= of )[\d.]+(?=;|$| is used up)/g,somethingLeft=message=>Number(
LEFT.exec(message)?.[1])>0,WAIT=/(; (?:try again|the next try is|the budget is renewed) in )(\d+) s\b/;function detailOf(error){if(!byGateway(error)&&error.code!==
"upstream_rate_limited")return error.message;let path=`${error.param}: `,text2=(error.code==="insufficient_quota"||error.code==="rate_limit_exceeded")&&error.message.
startsWith(path)?error.message.slice(path.length):error.message;return(error.code==="insufficient_quota"?text2.replace(SUMS,money):text2).replace(WAIT,(_2,before,seconds)=>error.
retry_after?"":before+duration(1e3*seconds))}var drawers=new Set,planned=!1,restUntil=0;function drawSoon(drawer){drawers.add(drawer),plan()}function drawNever(drawer){drawers.delete(drawer)}function plan(){
planned||drawers.size===0||(planned=!0,document.visibilityState==="hidden"?setTimeout(frame,500):requestAnimationFrame(frame))}function frame(){planned=!1;let start=performance.
now();if(start>=restUntil){for(let drawer of[...drawers]){if(performance.now()>=start+8)break;drawers.delete(drawer),drawer(start+8)||drawers.add(drawer)}restUntil=
performance.now()+3*(performance.now()-start)}plan()}function codeView(info,numbered=!1){let language=info.trim().split(/[\s{,]/,1)[0].toLowerCase(),content=document.createTextNode(""),code2=make("code","",content),
pre=make("pre","",code2),numbers=document.createTextNode(""),lines2={count:0},copy=make("button","bare",document.createTextNode(words.actions.copy));copy.setAttribute(
"type","button"),copy.addEventListener("click",()=>{navigator.clipboard.writeText(code2.textContent??"").then(()=>announce(words.actions.copied))});let wrap=make(
"button","bare",document.createTextNode(words.draw.wrap));wrap.setAttribute("type","button"),wrap.setAttribute("aria-pressed","false"),wrap.addEventListener("cl\
ick",()=>{wrap.setAttribute("aria-pressed",String(body.classList.toggle("wrapped")))});let name=make("span","",document.createTextNode(language||words.draw.plain)),
head=make("div","code-head",name,make("span","row",wrap,copy)),body=make("div","code-body");if(body.dir="ltr",body.tabIndex=0,body.setAttribute("role","group"),
body.setAttribute("aria-label",`${words.draw.code} ${language}`.trim()),numbered){let gutter=make("pre","gutter",numbers);gutter.setAttribute("aria-hidden","tru\
e"),body.append(gutter)}return body.append(pre),{element:make("div",numbered?"code numbered":"code",head,body),code:code2,language,append(text2){if(content.appendData(
text2),!numbered)return;let added=text2.split(`
`).length-(lines2.count>0?1:0),more="";for(let n=0;n<added;n++)more+=`${lines2.count+=1}
`;numbers.appendData(more)},text:()=>code2.textContent??"",activate(line){body.classList.toggle("active",line!==null),line!==null&&body.style.setProperty("--lin\
e-number",String(line-1))}}}function make(name,className,...children){let made=document.createElement(name);return className&&(made.className=className),made.append(
...children),made}var waiting=[],working=!1;function highlightLater(view){!view.language||typeof requestIdleCallback>"u"||(waiting.push(view),working||(working=!0,requestIdleCallback(
()=>{work()})))}async function work(){let{grammar,tokenize}=await import("./prism.ZSTM3RZ2.js"),next=deadline=>{for(;waiting.length&&deadline.timeRemaining()>
4;){let view=waiting.shift(),rules=grammar(view.language),text2=view.text();rules&&text2.length<=5e4&&view.code.replaceChildren(...nodes(tokenize(text2,rules)))}
waiting.length?requestIdleCallback(next):working=!1};requestIdleCallback(next)}function nodes(stream){return typeof stream=="string"?[document.createTextNode(stream)]:
Array.isArray(stream)?stream.flatMap(nodes):[span(stream)]}function span(token){let made=document.createElement("span");return made.className=`token ${token.type}`,
made.append(...nodes(token.content)),made}function G(){return{async:!1,breaks:!1,extensions:null,gfm:!0,hooks:null,pedantic:!1,renderer:null,silent:!1,tokenizer:null,walkTokens:null}}var S=G();var q={exec:()=>null};function D(l3){let e=[];return t=>{let n=Math.max(0,Math.min(3,t-1)),r=e[n];return r||(r=l3(n),e[n]=r),r}}function g(l3,e=""){let t=typeof l3==
"string"?l3:l3.source,n={replace:(r,s)=>{let o=typeof s=="string"?s:s.source;return o=o.replace(O.caret,"$1"),t=t.replace(r,o),n},getRegex:()=>new RegExp(t,e)};
return n}var _e=((l3="")=>{try{return!!new RegExp("(?<=1)(?<!1)"+l3)}catch{return!1}})(),O={codeRemoveIndent:/^(?: {0,3}\t| {1,4})/gm,listInterruptsParagraph:/^ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/,
outputLinkReplace:/\\([\[\]])/g,indentCodeCompensation:/^(\s+)(?:```)/,beginningSpace:/^\s+/,endingHash:/#$/,startingSpaceChar:/^ /,endingSpaceChar:/ $/,endingSpaceTabChar:/[ \t]$/,
nonSpaceChar:/[^ ]/,newLineCharGlobal:/\n/g,tabCharGlobal:/\t/g,leadingSpaceTab:/^[ \t]+/,multipleSpaceGlobal:/\s+/g,blankLine:/^[ \t]*$/,doubleBlankLine:/\n[ \t]*\n[ \t]*$/,
blockquoteStart:/^ {0,3}>/,blockquoteSetextReplace:/\n {0,3}((?:=+|-+)[ \t]*)(?=\n|$)/g,blockquoteSetextReplace2:/^ {0,3}>[ \t]?/gm,blockquoteMarkerWhitespace:/^( {0,3}>)(\t[ \t]*)/gm,
nestedBlockMarker:/^ {0,3}(?:(?:[*+-]|\d{1,9}[.)])(?: |$)|> ?)/,listReplaceNesting:/^ {1,4}(?=( {4})*[^ ])/g,listIsTask:/^\[[ xX]\][ \t]+\S/,listReplaceTask:/^\[[ xX]\][ \t]+/,
listTaskCheckbox:/\[[ xX]\]/,anyLine:/\n.*\n/,hrefBrackets:/^<(.*)>$/,tableDelimiter:/[:|]/,tableAlignChars:/^\||\| *$/g,tableRowBlankLine:/\n[ \t]*$/,tableAlignRight:/^ *-+: *$/,
tableAlignCenter:/^ *:-+: *$/,tableAlignLeft:/^ *:-+ *$/,startATag:/^<a /i,endATag:/^<\/a>/i,startPreScriptTag:/^<(pre|code|kbd|script)(\s|>)/i,endPreScriptTag:/^<\/(pre|code|kbd|script)(\s|>)/i,
startAngleBracket:/^</,endAngleBracket:/>$/,pedanticHrefTitle:/^([^'"]*[^\s])\s+(['"])(.*)\2/,unicodeAlphaNumeric:/[\p{L}\p{N}]/u,numericCharacterReference:/&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));/,
numericCharacterReferenceOrAmpersand:/&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g,escapeTest:/[&<>"']/,escapeReplace:/[&<>"']/g,
escapeTestNoEncode:/[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/,escapeReplaceNoEncode:/[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g,caret:/(^|[^\[])\^/g,
percentDecode:/%25/g,findPipe:/\|/g,splitPipe:/ \|/,slashPipe:/\\\|/g,carriageReturn:/\r\n|\r/g,spaceLine:/^ +$/gm,notSpaceStart:/^\S*/,endingNewline:/\n$/,listItemRegex:l3=>new RegExp(
`^( {0,3}${l3})((?:[	 ][^\\n]*)?(?:\\n|$))`),nextBulletRegex:D(l3=>new RegExp(`^ {0,${l3}}(?:[*+-]|\\d{1,9}[.)])((?:[ 	][^\\n]*)?(?:\\n|$))`)),hrRegex:D(l3=>new RegExp(
`^ {0,${l3}}((?:-[ 	]*){3,}|(?:_[ 	]*){3,}|(?:\\*[ 	]*){3,})(?:\\n+|$)`)),fencesBeginRegex:D(l3=>new RegExp(`^ {0,${l3}}(?:\`\`\`|~~~)`)),headingBeginRegex:D(l3=>new RegExp(
`^ {0,${l3}}#{1,6}(?:\\s|$)`)),pedanticHeadingBeginRegex:D(l3=>new RegExp(`^ {0,${l3}}#`)),htmlBeginRegex:D(l3=>new RegExp(`^ {0,${l3}}(?:</?(?:${he})(?:[ \\t]+|\
$|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)`,"i")),blockquoteBeginRegex:D(l3=>new RegExp(`^ {0,${l3}}>`)),nestedContainerMarkers:/^(?: {0,3}(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]?))+/},
Ge=/^(?:[ \t]*(?:\n|$))+/,Ne=/^((?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*(?:\n|$))*)?)+/,Fe=/^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)(?:|([\s\S]*?)(?:\n|$))(?: {0,3}(?:(?=`)\1`*|(?=~)\1~*) *(?=\n|$)|$)/,
V=/^ {0,3}((?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/,Qe=/^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)/,ce=/ {0,3}(?:[*+-]|\d{1,9}[.)])/,he="address|ar\
ticle|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-\
6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thea\
d|title|tr|track|ul",J=g(" {0,3}(?:</?(?:tag)(?:[ \\t]+|\\n|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)").replace("ta\
g",he).getRegex(),$e=/^(?!bull |blockCode|fences|blockquote|heading|html|table)((?:.|\n(?!\s*?\n|bull |fences|blockquote|heading|hr|html|table))+?)\n {0,3}(=+|-+)[ \t]*(?:\n+|$)/,
Le=g($e).replace(/bull/g,ce).replace(/blockCode/g,/(?: {4}| {0,3}\t)/).replace(/fences/g,/ {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g,/ {0,3}>/).replace(/heading/g,
/ {0,3}#{1,6}(?:\s|$)/).replace(/hr/g,/ {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/\|table/g,"").replace(/html/g,J).getRegex(),
We=g($e).replace(/bull/g,ce).replace(/blockCode/g,/(?: {4}| {0,3}\t)/).replace(/fences/g,/ {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g,/ {0,3}>/).replace(/heading/g,
/ {0,3}#{1,6}(?:\s|$)/).replace(/hr/g,/ {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/table/g,/ {0,3}\|?(?:[:\- ]*\|)+[\:\- ]*\n/).
replace(/html/g,J).getRegex(),de=/^([^\n]+(?:\n(?!hr|heading|lheading|blockquote|fences|list|html|table|[ \t]+\n)[^\n]+)*)/,Ue=/^[^\n]+/,ge=/(?!\s*\])(?:\\[\s\S]|[^\[\]\\\n]|\n(?![ \t]*\n))+/,
Ke=g(/^ {0,3}\[(label)\]: *(?:\n[ \t]*)?([^<\s][^\s]*|<(?:\\.|[^\n<>\\])*>)(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(title))? *(?:\n+|$)/).replace("label",ge).replace("\
title",/(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\\n]|\n(?!\n))*'|\((?:\\[\s\S]|[^()\\])*\))/).getRegex(),Xe=g(/^(bull)([ \t][^\n]*?)?(?:\n|$)/).replace(/bull/g,
ce).getRegex(),ke=/<!--(?:-?>|[\s\S]*?(?:-->|$))/,Ve=g("^ {0,3}(?:<(script|pre|style|textarea)[\\s>][\\s\\S]*?(?:</\\1>[^\\n]*\\n*|$)|comment[^\\n]*(\\n+|$)|<\\?[\\s\\S]*?\
(?:\\?>[^\\n]*\\n*|$)|<![A-Z][\\s\\S]*?(?:>[^\\n]*\\n*|$)|<!\\[CDATA\\[[\\s\\S]*?(?:\\]\\]>[^\\n]*\\n*|$)|</?(tag)(?:[ \\t]+|\\n|/?>|$)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|<(?!(?:script\
|pre|style|textarea)(?![a-z0-9-]))([a-z][a-z0-9-]*)(?:attribute)*?[ \\t]*/?>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|</[a-z][a-z0-9-]*\\s*>(?=[ \\t]*(?:\\n|$)\
)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$))","i").replace("comment",ke).replace("tag",he).replace("attribute",/[ \t]+[a-zA-Z:_][\w.:-]*(?:[ \t]*=[ \t]*"[^"\n]*"|[ \t]*=[ \t]*'[^'\n]*'|[ \t]*=[ \t]*[^\s"'=<>`]+)?/).
getRegex(),Ce=l3=>g(de).replace("hr",V).replace("heading"," {0,3}#{1,6}(?:\\s|$)").replace("|lheading","").replace("|table","").replace("blockquote"," {0,3}>").
replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list",l3).replace("html",J).getRegex(),Je=Ce(/ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/),
Ye=Ce(/ {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t]|\n|$)/),et=g(/^( {0,3}> ?(?:(?![ \t]*(?:\n|$))(paragraph)|[^\n]*)(?:\n|$))+/).replace("paragraph",Ye).getRegex(),fe={
blockquote:et,code:Ne,def:Ke,fences:Fe,heading:Qe,hr:V,html:Ve,lheading:Le,list:Xe,newline:Ge,paragraph:Je,table:q,text:Ue},Pe=g("^ *([^\\n ].*)\\n {0,3}((?:\\| *)\
?:?-+:? *(?:\\| *:?-+:? *)*(?:\\| *)?)(?:\\n((?:(?! *\\n|hr|heading|blockquote|code|fences|list|html).*(?:\\n|$))*)\\n*|$)").replace("hr",V).replace("heading","\
 {0,3}#{1,6}(?:\\s|$)").replace("blockquote"," {0,3}>").replace("code","(?: {4}| {0,3}	)[^\\n]").replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(\
?:\\n|$)").replace("list"," {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html",J).getRegex(),tt={...fe,lheading:We,table:Pe,paragraph:g(de).replace("hr",V).replace("he\
ading"," {0,3}#{1,6}(?:\\s|$)").replace("|lheading","").replace("table",Pe).replace("blockquote"," {0,3}>").replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|\
~~~)[^\\n]*(?:\\n|$)").replace("list"," {0,3}(?:[*+-]|1[.)])[ \\t]+[^ \\t\\n]").replace("html",J).getRegex()},nt={...fe,html:g(`^ *(?:comment(?: *\\n|\\s*$)|<(tag\
)[\\s\\S]+?</\\1>(?: *\\n{2,}|\\s*$)|<tag(?:"[^"]*"|'[^']*'|\\s[^'"/>\\s]*)*?/?>(?: *\\n{2,}|\\s*$))`).replace("comment",ke).replace(/tag/g,"(?!(?:a|em|strong|s\
mall|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br|wbr|ins|del|img)\\b)\\w+(?!:|[^\\w\\s@]*@)\\b").getRegex(),def:/^ *\[([^\]]+)\]: *<?([^\s>]+)>?(?: +(["(][^\n]+[")]))? *(?:\n+|$)/,
heading:/^(#{1,6})(.*)(?:\n+|$)/,fences:q,lheading:/^(.+?)\n {0,3}(=+|-+) *(?:\n+|$)/,paragraph:g(de).replace("hr",V).replace("heading",` *#{1,6} *[^
]`).replace("|table","").replace("blockquote"," {0,3}>").replace("|fences","").replace("|list","").replace("|html","").replace("|tag","").replace("lheading",Le).
getRegex()},rt=/^\\([!"#$%&'()*+,\-./:;<=>?@\[\]\\^_`{|}~])/,st=/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/,Ie=/^( {2,}|\\)\n(?!\s*$)[ \t]*/,it=/^(`+|[^`])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<!\[`*_]|\b_|$)|[^ ](?= {2,}\n)))/,
L=/[\p{P}\p{S}]/u,N=/[\s\p{P}\p{S}]/u,Y=/[^\s\p{P}\p{S}]/u,ot=g(/^((?![*_])punctSpace)/,"u").replace(/punctSpace/g,N).getRegex(),at=/[\p{Pi}\p{Ps}"']/u,Ae=/(?!~)[\p{P}\p{S}]/u,
lt=/(?!~)[\s\p{P}\p{S}]/u,ut=/(?:[^\s\p{P}\p{S}]|~)/u,pt=g(/link|precode-code|html/,"g").replace("link",/\[(?:[^\[\]`]|(?<a>`+)[^`]+\k<a>(?!`))*?\]\((?:\\[\s\S]|[^\\\(\)]|\((?:\\[\s\S]|[^\\\(\)])*\))*\)/).
replace("precode-",_e?"(?<!`)()":"(^^|[^`])").replace("code",/(?<b>`+)[^`]+\k<b>(?!`)/).replace("html",/<(?! )[^<>]*?>/).getRegex(),Ee=/^(?:\*+(?:((?!\*)punct)|([^\s*]))?)|^_+(?:((?!_)punct)|([^\s_]))?/,
ct=g(Ee,"u").replace(/punct/g,L).getRegex(),ht=g(Ee,"u").replace(/punct/g,Ae).getRegex(),dt=/^(?:\*+(?:((?!\*)(?!openQuote)punct)|([^\s*]))?)|^_+(?:((?!_)(?!openQuote)punct)|([^\s_]))?/,
gt=g(dt,"u").replace(/openQuote/g,at).replace(/punct/g,L).getRegex(),ze="^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace\
(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)punctSpace(\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|notPunctSpace(\\*+)(?=notPunctSpace)",
kt=g(ze,"gu").replace(/notPunctSpace/g,Y).replace(/punctSpace/g,N).replace(/punct/g,L).getRegex(),ft=g(ze,"gu").replace(/notPunctSpace/g,ut).replace(/punctSpace/g,
lt).replace(/punct/g,Ae).getRegex(),mt="^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*\
)[\\s](\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|(?:(?!\\*)punct|notPunctSpace)(\\*+)(?!\\*)(?=notPunctSpace)",xt=g(
mt,"gu").replace(/notPunctSpace/g,Y).replace(/punctSpace/g,N).replace(/punct/g,L).getRegex(),bt=g("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(\
_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)punctSpace(_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)","gu").replace(/notPunctSpace/g,
Y).replace(/punctSpace/g,N).replace(/punct/g,L).getRegex(),Rt="^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)\
(?=punctSpace|$)|(?!_)[\\s](_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)|(?:(?!_)punct|notPunctSpace)(_+)(?!_)(?=notPunctSpace)",Tt=g(
Rt,"gu").replace(/notPunctSpace/g,Y).replace(/punctSpace/g,N).replace(/punct/g,L).getRegex(),Ot=g(/^~~?(?:((?!~)punct)|[^\s~])/,"u").replace(/punct/g,L).getRegex(),
wt="^[^~]+(?=[^~])|(?!~)punct(~~?)(?=[\\s]|$)|notPunctSpace(~~?)(?!~)(?=punctSpace|$)|(?!~)punctSpace(~~?)(?=notPunctSpace)|[\\s](~~?)(?!~)(?=punct)|(?!~)punct(~~\
?)(?!~)(?=punct)|notPunctSpace(~~?)(?=notPunctSpace)",Pt=g(wt,"gu").replace(/notPunctSpace/g,Y).replace(/punctSpace/g,N).replace(/punct/g,L).getRegex(),yt=g(/\\(punct)/,
"gu").replace(/punct/g,L).getRegex(),St=g(/(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)|`+|\\(punct)/,"gu").replace(/punct/g,L).getRegex(),_t=g(/^<(scheme:[^\s\x00-\x1f<>]*|email)>/).
replace("scheme",/[a-zA-Z][a-zA-Z0-9+.-]{1,31}/).replace("email",/[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+(@)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+(?![-_])/).
getRegex(),$t=g(ke).replace("(?:-->|$)","-->").getRegex(),Lt=g("^comment|^</[a-zA-Z][a-zA-Z0-9-]*\\s*>|^<[a-zA-Z][a-zA-Z0-9-]*(?:attribute)*?\\s*/?>|^<\\?[\\s\\S]*?\\\
?>|^<![a-zA-Z]+\\s[\\s\\S]*?>|^<!\\[CDATA\\[[\\s\\S]*?\\]\\]>").replace("comment",$t).replace("attribute",/\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|\s*=\s*[^\s"'=<>`]+)?/).
getRegex(),Me=/\[(?:\\[\s\S]|[^\[\]\\])*\]/,ie=g(/(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\])|[^\[\]\\`])*?/).replace("brack\
ets",Me).getRegex(),Ct=g(/^!?\[(label)\]\([ \t\n]*(href)(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(title))?[ \t\n]*\)/).replace("label",ie).replace("href",/<(?:\\.|[^\n<>\\])*>|(?!<)[^ \t\n\x00-\x1f]+|(?=\))/).
replace("title",/"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^)\\])*\)/).getRegex(),It=g(/^!?\[(label)\]\[(ref)\]/).replace("label",ie).replace(
"ref",ge).getRegex(),At=g(/^!?\[(ref)\](?:\[\])?/).replace("ref",ge).getRegex(),ye=/(?!\s*\])(?:\\[\s\S]|[^\[\]\\]){1,999}/,Et=g(/(?:[^\[\]\\`]*(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\]))){0,999}?[^\[\]\\`]*?/).
replace("brackets",Me).getRegex(),zt=g("reflink|nolink(?!\\()","g").replace("reflink",g(/^!?\[(label)\]\[(ref)\]/).replace("label",Et).replace("ref",ye).getRegex()).
replace("nolink",g(/^!?\[(ref)\](?:\[\])?/).replace("ref",ye).getRegex()).getRegex(),Se=/[hH][tT][tT][pP][sS]?|[fF][tT][pP]/,Mt=/[A-Za-z0-9._+-]+@[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/,
Bt=g(/(?:mailto:email|xmpp:email(?:\/[A-Za-z0-9@.]+)?)/).replace(/email/g,Mt).getRegex(),me={_backpedal:q,anyPunctuation:yt,anyPunctuationOutsideCode:St,autolink:_t,
blockSkip:pt,br:Ie,code:st,del:q,delLDelim:q,delRDelim:q,emStrongLDelim:ct,emStrongRDelimAst:kt,emStrongRDelimUnd:bt,escape:rt,link:Ct,nolink:At,punctuation:ot,
reflink:It,reflinkSearch:zt,tag:Lt,text:it,url:q},Dt={...me,emStrongLDelim:gt,emStrongRDelimAst:xt,emStrongRDelimUnd:Tt,link:g(/^!?\[(label)\]\((.*?)\)/).replace(
"label",ie).getRegex(),reflink:g(/^!?\[(label)\]\s*\[([^\]]*)\]/).replace("label",ie).getRegex()},pe={...me,emStrongRDelimAst:ft,emStrongLDelim:ht,delLDelim:Ot,
delRDelim:Pt,url:g(/^emailProtocol|^((?:protocol):\/\/|www\.)(?:[a-zA-Z0-9\-]+\.?)+[^\s<]*|^email/).replace("emailProtocol",Bt).replace("protocol",Se).replace("\
email",/[A-Za-z0-9._+-]+(@)[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/).getRegex(),_backpedal:/(?:[^?!.,:;*_'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*_'"~)]+(?!$))+/,
del:/^(~~?)(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))\1(?=[^~]|$)/,text:g(/^(?:[^a-zA-Z0-9](?=emailProtocol)|(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|(?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)|[\s\S]*?(?:(?=[\\<!\[`*~_]|\b_|protocol:\/\/|wwwStart|$)|[^ ](?= {2,}\n)|[^a-zA-Z0-9](?=emailProtocol)|[^a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-](?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@))))/).
replace("protocol",Se).replace(/emailProtocol/g,/(?:mailto|xmpp):/).replace("wwwStart",_e?"(?<![^\\s*_~(])www\\.":"www\\.").getRegex()},qt={...pe,br:g(Ie).replace(
"{2,}","*").getRegex(),text:g(pe.text).replace("\\b_","\\b_| {2,}\\n").replace(/\{2,\}/g,"*").getRegex()},ee={normal:fe,gfm:tt,pedantic:nt},F={normal:me,gfm:pe,
breaks:qt,pedantic:Dt};function De(l3){return O.numericCharacterReference.test(l3)?l3.replace(O.numericCharacterReferenceOrAmpersand,(e,t,n)=>{if(t===void 0&&n===void 0)return"&amp;";
let r=t===void 0?Number.parseInt(n,16):Number.parseInt(t,10);return r===0||r>1114111||r>=55296&&r<=57343?"�":r===38?"&amp;":String.fromCodePoint(r)}):l3}function be(l3,e){let t=l3.replace(O.findPipe,(s,o,i)=>{let a=!1,c=o;for(;--c>=0&&i[c]==="\\";)a=!a;return a?"|":" |"}),n=t.split(O.splitPipe),r=0;if(n[0].trim()||
n.shift(),n.length>0&&!n.at(-1)?.trim()&&n.pop(),e)if(n.length>e)n.splice(e);else for(;n.length<e;)n.push("");for(;r<n.length;r++)n[r]=n[r].trim().replace(O.slashPipe,
"|");return n}function C(l3,e,t){let n=l3.length;if(n===0)return"";let r=0;for(;r<n;){let s=l3.charAt(n-r-1);if(s===e&&!t)r++;else if(s!==e&&t)r++;else break}return l3.
slice(0,n-r)}function Re(l3){let e=l3.split(`
`),t=e.length-1;for(;t>=0&&O.blankLine.test(e[t]);)t--;return e.length-t<=2?l3:e.slice(0,t+1).join(`
`)}function W(l3){return l3.trim().replace(O.multipleSpaceGlobal," ").toLowerCase().toUpperCase().toLowerCase()}function Te(l3,e){if(l3.indexOf(e[0])===-1&&l3.indexOf(
e[1])===-1)return-1;let t=0;for(let n=0;n<l3.length;n++)if(l3[n]==="\\")n++;else if(l3[n]===e[0])t++;else if(l3[n]===e[1]&&(t--,t<0))return n;return t>0?-2:-1}var Q=new WeakMap;
function Oe(l3){let e={"*":-1,_:-1},t=-1,n=l3.length;for(let r=0;r<n;r++){let s=l3[r];if(s!=="*"&&s!=="_"&&s!=="~")continue;let o=r===0?`
`:l3[r-1],i=r+1;for(;i<n&&l3[i]===s;)i++;o!==" "&&o!=="	"&&o!==`
`&&o!=="\r"&&o!=="\f"&&(s==="~"?t=r:e[s]=r),r=i-1}return{maskedSrc:l3,lastPossibleEmStrongCloserIndex:e,lastPossibleDelCloserIndex:t}}function qe(l3,e){let t=Oe(
e),n=Q.get(l3);n?n.push(t):Q.set(l3,[t])}function ve(l3){let e=Q.get(l3);e&&(e.pop(),e.length===0&&Q.delete(l3))}function oe(l3,e,t){let n=Q.get(l3)?.at(-1);return n&&
n.maskedSrc===e?n.lastPossibleEmStrongCloserIndex[t]:Oe(e).lastPossibleEmStrongCloserIndex[t]}function ae(l3,e){let t=Q.get(l3)?.at(-1);return t&&t.maskedSrc===
e?t.lastPossibleDelCloserIndex:Oe(e).lastPossibleDelCloserIndex}function te(l3,e=0){let t=e,n="";for(let r of l3)if(r==="	"){let s=4-t%4;n+=" ".repeat(s),t+=s}else
n+=r,t++;return n}function Ht(l3,e){let t="";for(let n=0;n<l3.length;n++){if(l3[n]==="`"){let r=e.inline.code.exec(l3.slice(n));if(r){t+=r[0],n+=r[0].length-1;continue}}
if(l3[n]==="\\"&&(l3[n+1]==="["||l3[n+1]==="]")){t+=l3[n+1],n++;continue}t+=l3[n]}return t}function He(l3,e,t,n,r){let s=e.href,o=e.title||null,i=Ht(l3[1],r),a=l3[0].
charAt(0)==="!",c=n.state.inLink,u=n.state.linkEmitted,d=n.state.inRawBlock;n.state.inLink=!0,n.state.linkEmitted=!1;let h=n.inlineTokens(i),p=n.state.linkEmitted;
if(n.state.linkEmitted=u,n.state.inLink=c,!a){if(p){n.state.inRawBlock=d;return}n.state.linkEmitted=!0}return{type:a?"image":"link",raw:t,href:s,title:o,text:i,
tokens:h}}function Zt(l3,e,t){let n=l3.match(t.other.indentCodeCompensation);if(n===null)return e;let r=n[1];return e.split(`
`).map(s=>{let o=s.match(t.other.beginningSpace);if(o===null)return s;let[i]=o;return s.slice(Math.min(i.length,r.length))}).join(`
`)}function Ze(l3,e,t,n){if(!e.includes("<"))return!1;for(let r=0;r<e.length;r++){if(e[r]==="\\"){r++;continue}if(e[r]==="`"){let i=n.inline.code.exec(e.slice(r));
if(i){r+=i[0].length-1;continue}}if(e[r]!=="<")continue;let s=l3.slice(t+r),o=n.inline.tag.exec(s)||n.inline.autolink.exec(s);if(o){if(o[0].length>e.length-r)return!0;
r+=o[0].length-1}}return!1}var _=class{options;rules;lexer;constructor(e){this.options=e||S}space(e){let t=this.rules.block.newline.exec(e);if(t&&t[0].length>0)
return{type:"space",raw:t[0]}}code(e){let t=this.rules.block.code.exec(e);if(t){let n=this.options.pedantic?t[0]:Re(t[0]),r=n.replace(this.rules.other.codeRemoveIndent,
"");return{type:"code",raw:n,codeBlockStyle:"indented",text:r}}}fences(e){let t=this.rules.block.fences.exec(e);if(t){let n=t[0],r=Zt(n,t[3]||"",this.rules);return t[3]!==
void 0&&(r===""||r.endsWith(`
`))&&(r+=`
`),{type:"code",raw:n,lang:t[2]?t[2].trim().replace(this.rules.inline.anyPunctuation,"$1"):t[2],text:r}}}heading(e){let t=this.rules.block.heading.exec(e);if(t){
let n=t[2].trim();if(this.rules.other.endingHash.test(n)){let r=C(n,"#");(this.options.pedantic||!r||this.rules.other.endingSpaceTabChar.test(r))&&(n=r.trim())}
return{type:"heading",raw:C(t[0],`
`),depth:t[1].length,text:n,tokens:this.lexer.inline(n)}}}hr(e){let t=this.rules.block.hr.exec(e);if(t)return{type:"hr",raw:C(t[0],`
`)}}blockquote(e){let t=this.rules.block.blockquote.exec(e);if(t){let n=C(t[0],`
`).split(`
`),r="",s="",o=[];for(;n.length>0;){let i=!1,a=[],c;for(c=0;c<n.length;c++)if(this.rules.other.blockquoteStart.test(n[c]))a.push(n[c]),i=!0;else if(!i)a.push(n[c]);else
break;n=n.slice(c);let u=a.join(`
`),d=u.replace(this.rules.other.blockquoteMarkerWhitespace,(k,m,b)=>b.startsWith(" ")?m+" "+b.slice(1):m+te(b,m.length)).replace(this.rules.other.blockquoteSetextReplace,
`
    $1`).replace(this.rules.other.blockquoteSetextReplace2,"");r=r?`${r}
${u}`:u,s=s?`${s}
${d}`:d;let h=this.lexer.state.top;if(this.lexer.state.top=!0,this.lexer.blockTokens(d,o,!0),this.lexer.state.top=h,n.length===0)break;let p=o.at(-1);if(p?.type===
"code"||p?.type==="heading"||p?.type==="hr"||p?.type==="html"||p?.type==="table")break;if(p?.type==="blockquote"){let k=p,m=n.join(`
`),b=k.raw+`
`+m.replace(this.rules.other.blockquoteSetextReplace2,""),f=this.blockquote(b);o[o.length-1]=f;let R=b.substring(f.raw.length).replace(/^\n/,""),E=R?R.split(`
`).length:0,T=E?n.slice(0,-E):n;if(T.length>0&&(r=`${r}
${T.join(`
`)}`),s=s.substring(0,s.length-k.text.length)+f.text,n=n.slice(T.length),n.length>0&&this.rules.other.blockquoteStart.test(n[0]))continue;break}else if(p?.type===
"list"){let k=p,m=k.raw+`
`+n.join(`
`),b=this.list(m);o[o.length-1]=b;let f=b.raw.length>k.raw.length?m.slice(k.raw.length+1,b.raw.length).split(`
`).length:0;if(f>0){let R=n.slice(0,f).join(`
`);r=`${r}
${R}`,s=`${s}
${R}`}if(n=n.slice(f),n.length>0&&!this.rules.other.blockquoteStart.test(n[0]))break;continue}}return{type:"blockquote",raw:r,tokens:o,text:s}}}list(e){let t=this.
rules.block.list.exec(e);if(t){if(!this.options.pedantic&&this.lexer.state.lastToken?.type==="text"&&!this.rules.other.listInterruptsParagraph.test(e))return;let n=e,
r=()=>n.length-e.length,s=t[1].trim(),o=s.length>1,i={type:"list",raw:"",ordered:o,start:o?+s.slice(0,-1):"",loose:!1,items:[]};s=o?`\\d{1,9}\\${s.slice(-1)}`:`\
\\${s}`,this.options.pedantic&&(s=o?s:"[*+-]");let a=this.rules.other.listItemRegex(s),c=!1;for(;e;){let h=!1,p="";if(!(t=a.exec(e))||this.rules.block.hr.test(e))
break;let k=r();e=e.substring(t[0].length);let m=t[2].split(`
`,1)[0],b=t[1].length,f=this.options.pedantic?te(m,b):m.replace(this.rules.other.leadingSpaceTab,H=>te(H,b)),R=e.split(`
`,1)[0],E=!f.trim(),T=0;if(this.options.pedantic?(T=2,p=f.trimStart()):E?T=b+1:(T=f.search(this.rules.other.nonSpaceChar),T=T>4?1:T,p=f.slice(T),T+=b),E&&this.rules.
other.blankLine.test(R)&&(e=e.substring(R.length+1),h=!0),!h){let H=this.rules.other.nextBulletRegex(T),K=this.rules.other.hrRegex(T),re=this.rules.other.fencesBeginRegex(
T),B=this.options.pedantic?this.rules.other.pedanticHeadingBeginRegex(T):this.rules.other.headingBeginRegex(T),X=this.rules.other.htmlBeginRegex(T),se=this.rules.
other.blockquoteBeginRegex(T),le=!1;for(;e;){let we=e.split(`
`,1)[0],Z;if(R=we,this.options.pedantic?(R=R.replace(this.rules.other.listReplaceNesting,"  "),Z=R):Z=R.replace(this.rules.other.leadingSpaceTab,$=>te($)),re.test(
R)||B.test(R)||X.test(R)||se.test(R)||H.test(R)||K.test(R))break;if(Z.search(this.rules.other.nonSpaceChar)>=T||!R.trim())p+=`
`+Z.slice(T),le=!1;else{if(E)break;let $=f;if(!this.options.pedantic&&!p.includes(`
`)&&!f.includes("	")){let j;for(;!K.test($)&&(j=this.rules.other.nestedBlockMarker.exec($));)$=$.slice(j[0].length);if(!$.trim())break}if($.replace(this.rules.other.
tabCharGlobal,"    ").search(this.rules.other.nonSpaceChar)>=4||re.test($)||B.test($)||X.test($)||K.test($))break;if(!this.options.pedantic&&!le){let j=f.replace(
this.rules.other.nestedContainerMarkers,"");if(this.rules.block.fences.test(j)||this.rules.block.heading.test(j)||this.rules.block.hr.test(j))break}let je=!this.
options.pedantic&&/^ {0,3}(?:=+|-+) *$/.test(R)&&this.rules.block.lheading.test(`${f}
${R}`)?`    ${Z.replace(/^ {0,3}/,"")}`:R;p+=`
`+je,le=!0}E=!R.trim(),e=e.substring(we.length+1),f=Z.slice(T)}}let U=n.slice(k,r());i.loose||(c?i.loose=!0:this.rules.other.doubleBlankLine.test(U)&&(c=!0)),i.
items.push({type:"list_item",raw:U,task:!!this.options.gfm&&this.rules.other.listIsTask.test(p),loose:!1,text:p,tokens:[]})}let u=i.items.at(-1);if(u)u.raw=u.raw.
trimEnd(),u.text=u.text.trimEnd();else return;i.raw=n.slice(0,r()).trimEnd();let d=[];for(let h of i.items)if(this.lexer.state.top=!1,d.push(this.lexer.inlineQueue.
length),h.tokens=this.lexer.blockTokens(h.text,[]),!i.loose){let p=h.tokens.filter(m=>m.type==="space"),k=p.length>0&&p.some(m=>this.rules.other.anyLine.test(m.
raw));i.loose=k}for(let h=0;h<i.items.length;h++){let p=i.items[h],k=p.tokens[0];if(p.task&&(k?.type==="text"||k?.type==="paragraph")){p.text=p.text.replace(this.
rules.other.listReplaceTask,""),k.raw=k.raw.replace(this.rules.other.listReplaceTask,""),k.text=k.text.replace(this.rules.other.listReplaceTask,"");let m=this.lexer.
inlineQueue;for(let f=d[h];f<m.length;f++)if(m[f].tokens===k.tokens){m[f].src=m[f].src.replace(this.rules.other.listReplaceTask,"");break}let b=this.rules.other.
listTaskCheckbox.exec(p.raw);if(b){let f={type:"checkbox",raw:b[0]+" ",checked:b[0]!=="[ ]"};p.checked=f.checked,i.loose?p.tokens[0]&&["paragraph","text"].includes(
p.tokens[0].type)&&"tokens"in p.tokens[0]&&p.tokens[0].tokens?(p.tokens[0].raw=f.raw+p.tokens[0].raw,p.tokens[0].text=f.raw+p.tokens[0].text,p.tokens[0].tokens.
unshift(f)):p.tokens.unshift({type:"paragraph",raw:f.raw,text:f.raw,tokens:[f]}):p.tokens.unshift(f)}}else p.task&&(p.task=!1)}if(i.loose)for(let h of i.items){
h.loose=!0;for(let p of h.tokens)p.type==="text"&&(p.type="paragraph")}return i}}html(e){let t=this.rules.block.html.exec(e);if(t){if(this.lexer.state.lastToken?.
type==="paragraph"&&!this.rules.other.htmlBeginRegex(4).test(e))return;let n=Re(t[0]);return{type:"html",block:!0,raw:n,pre:t[1]==="pre"||t[1]==="script"||t[1]===
"style",text:n}}}def(e){let t=this.rules.block.def.exec(e);if(t){if(!this.rules.other.startAngleBracket.test(t[2])&&Te(t[2],"()")!==-1)return;let n=W(t[1]),r=t[2]?
t[2].replace(this.rules.other.hrefBrackets,"$1").replace(this.rules.inline.anyPunctuation,"$1"):"",s=t[3]?t[3].substring(1,t[3].length-1).replace(this.rules.inline.
anyPunctuation,"$1"):t[3];return{type:"def",tag:n,raw:C(t[0],`
`),href:r,title:s}}}table(e){let t=this.rules.block.table.exec(e);if(!t||!this.rules.other.tableDelimiter.test(t[2]))return;let n=be(t[1]),r=t[2].replace(this.rules.
other.tableAlignChars,"").split("|"),s=t[3]?.trim()?t[3].replace(this.rules.other.tableRowBlankLine,"").split(`
`):[],o={type:"table",raw:C(t[0],`
`),header:[],align:[],rows:[]};if(n.length===r.length){for(let i of r)this.rules.other.tableAlignRight.test(i)?o.align.push("right"):this.rules.other.tableAlignCenter.
test(i)?o.align.push("center"):this.rules.other.tableAlignLeft.test(i)?o.align.push("left"):o.align.push(null);for(let i=0;i<n.length;i++)o.header.push({text:n[i],
tokens:this.lexer.inline(n[i]),header:!0,align:o.align[i]});for(let i of s)o.rows.push(be(i,o.header.length).map((a,c)=>({text:a,tokens:this.lexer.inline(a),header:!1,
align:o.align[c]})));return o}}lheading(e){let t=this.rules.block.lheading.exec(e);if(t){let n=t[1].trim();return{type:"heading",raw:C(t[0],`
`),depth:t[2].charAt(0)==="="?1:2,text:n,tokens:this.lexer.inline(n)}}}paragraph(e){let t=this.rules.block.paragraph.exec(e);if(t){let n=t[1].charAt(t[1].length-
1)===`
`?t[1].slice(0,-1):t[1];return{type:"paragraph",raw:t[0],text:n,tokens:this.lexer.inline(n)}}}text(e){let t=this.rules.block.text.exec(e);if(t)return{type:"text",
raw:t[0],text:t[0],tokens:this.lexer.inline(t[0])}}escape(e){if(e.charCodeAt(0)!==92)return;let t=this.rules.inline.escape.exec(e);if(t)return{type:"escape",raw:t[0],
text:t[1]}}tag(e){if(e.charCodeAt(0)!==60)return;let t=this.rules.inline.tag.exec(e);if(t)return!this.lexer.state.inLink&&this.rules.other.startATag.test(t[0])?
this.lexer.state.inLink=!0:this.lexer.state.inLink&&this.rules.other.endATag.test(t[0])&&(this.lexer.state.inLink=!1),!this.lexer.state.inRawBlock&&this.rules.other.
startPreScriptTag.test(t[0])?this.lexer.state.inRawBlock=!0:this.lexer.state.inRawBlock&&this.rules.other.endPreScriptTag.test(t[0])&&(this.lexer.state.inRawBlock=
!1),{type:"html",raw:t[0],inLink:this.lexer.state.inLink,inRawBlock:this.lexer.state.inRawBlock,block:!1,text:t[0]}}link(e){if(this.lexer.state.linkParenPossible===
!1)return;let t=e.charCodeAt(0);if(t!==91&&t!==33)return;let n=this.rules.inline.link.exec(e);if(n){let r=n[0].charAt(0)==="!"?2:1;if(!this.options.pedantic&&Ze(
e,n[1],r,this.rules))return;let s=n[2].trim();if(!this.options.pedantic&&this.rules.other.startAngleBracket.test(s)){if(!this.rules.other.endAngleBracket.test(s))
return;let c=C(s.slice(0,-1),"\\");if((s.length-c.length)%2===0)return}else{let c=Te(n[2],"()");if(c===-2)return;if(c>-1){let d=(n[0].indexOf("!")===0?5:4)+n[1].
length+c;n[2]=n[2].substring(0,c),n[0]=n[0].substring(0,d).trim(),n[3]=""}}let o=C(n[0].slice(0,-1),"\\");if((n[0].length-o.length)%2===0)return;let i=n[2],a="";
if(this.options.pedantic){let c=this.rules.other.pedanticHrefTitle.exec(i);c&&(i=c[1],a=c[3])}else a=n[3]?n[3].slice(1,-1):"";return i=i.trim(),this.rules.other.
startAngleBracket.test(i)&&(this.options.pedantic&&!this.rules.other.endAngleBracket.test(s)?i=i.slice(1):i=i.slice(1,-1)),He(n,{href:i&&i.replace(this.rules.inline.
anyPunctuation,"$1"),title:a&&a.replace(this.rules.inline.anyPunctuation,"$1")},n[0],this.lexer,this.rules)}}reflink(e,t){let n=e.charCodeAt(0);if(n!==91&&n!==33)
return;let r;if((r=this.rules.inline.reflink.exec(e))||(r=this.rules.inline.nolink.exec(e))){let s=r[0].charAt(0)==="!"?2:1;if(!this.options.pedantic&&Ze(e,r[1],
s,this.rules))return;let o=t[W(r[2]||r[1])];if(!o){let i=r[0].charAt(0);return{type:"text",raw:i,text:i}}return He(r,o,r[0],this.lexer,this.rules)}}emStrong(e,t,n=""){
let r=this.rules.inline.emStrongLDelim.exec(e);if(!r||!r[1]&&!r[2]&&!r[3]&&!r[4])return;let s=r[0][0],o=n===s,i=t.length-e.length,a=i;for(;!this.options.pedantic&&
a>0&&t[a-1]===s;)a--;let c=[...t.slice(Math.max(0,a-2),a)].at(-1)??"",u=c==="*"||c==="_"||!!this.rules.inline.punctuation.exec(c);a<i&&(n=c);let d=a<i?u:n==="*"||
n==="_"||!!this.rules.inline.punctuation.exec(n);if(r[4]&&n.match(this.rules.other.unicodeAlphaNumeric))return;let h=r[1]||r[3]||"";if(!h||!n||d){let p=[...r[0]].
length-1,k,m,b=p,f=0,R=i-a+p,E=!this.options.pedantic&&!!c.trim()&&(!!h||s==="*"&&!u);if(s!=="*"&&s!=="_")return;let T=s==="*"?this.rules.inline.emStrongRDelimAst:
this.rules.inline.emStrongRDelimUnd,U=oe(this,t,s),H=t.length-e.length+p;if(U<H)return;t=t.slice(-1*e.length+p);let K=U-H;for(T.lastIndex=0;(r=T.exec(t))!==null&&
!(r.index>K);){if(k=r[1]||r[2]||r[3]||r[4]||r[5]||r[6],!k)continue;if(m=[...k].length,r[3]||r[4]){b+=m;continue}else if((r[5]||r[6]||E)&&R%3&&!((R+m)%3)){if(o&&
(r[5]||r[6]))break;f+=m;continue}if(b-=m,b>0)continue;m=Math.min(m,m+b+f);let re=[...r[0]][0].length,B=e.slice(0,p+r.index+re+m);if(Math.min(p,m)%2){let se=B.slice(
1,-1);return{type:"em",raw:B,text:se,tokens:this.lexer.inlineTokens(se)}}let X=B.slice(2,-2);return{type:"strong",raw:B,text:X,tokens:this.lexer.inlineTokens(X)}}}}codespan(e){
if(e.charCodeAt(0)!==96)return;let t=this.rules.inline.code.exec(e);if(t){let n=t[2].replace(this.rules.other.newLineCharGlobal," "),r=this.rules.other.nonSpaceChar.
test(n),s=this.rules.other.startingSpaceChar.test(n)&&this.rules.other.endingSpaceChar.test(n);return r&&s&&(n=n.substring(1,n.length-1)),{type:"codespan",raw:t[0],
text:n}}}br(e){let t=e.charCodeAt(0);if(t!==32&&t!==92&&t!==10)return;let n=this.rules.inline.br.exec(e);if(n)return{type:"br",raw:n[0]}}del(e,t,n=""){if(e.charCodeAt(
0)!==126)return;let r=this.rules.inline.delLDelim.exec(e);if(r&&(!r[1]||!n||this.rules.inline.punctuation.exec(n))){let o=[...r[0]].length-1,i,a,c=o,u=this.rules.
inline.delRDelim,d=ae(this,t),h=t.length-e.length+o;if(d<h)return;t=t.slice(-1*e.length+o);let p=d-h;for(u.lastIndex=0;(r=u.exec(t))!==null&&!(r.index>p);){if(i=
r[1]||r[2]||r[3]||r[4]||r[5]||r[6],!i||(a=[...i].length,a!==o))continue;if(r[3]||r[4]){c+=a;continue}if(c-=a,c>0)continue;a=Math.min(a,a+c);let k=[...r[0]][0].length,
m=e.slice(0,o+r.index+k+a),b=m.slice(o,-o);return{type:"del",raw:m,text:b,tokens:this.lexer.inlineTokens(b)}}}}autolink(e){if(e.charCodeAt(0)!==60)return;let t=this.
rules.inline.autolink.exec(e);if(t){let n,r;return t[2]==="@"?(n=t[1],r="mailto:"+n):(n=t[1],r=n),{type:"link",raw:t[0],text:n,href:r,autolink:!0,tokens:[{type:"\
text",raw:n,text:n}]}}}url(e){let t;if(t=this.rules.inline.url.exec(e)){let n,r;if(t[2]==="@")n=t[0],r="mailto:"+n;else{let s;do s=t[0],t[0]=this.rules.inline._backpedal.
exec(t[0])?.[0]??"";while(s!==t[0]);n=t[0],t[1]==="www."?r="http://"+t[0]:r=t[0]}return{type:"link",raw:t[0],text:n,href:r,autolink:!0,tokens:[{type:"text",raw:n,
text:n}]}}}inlineText(e){let t=this.rules.inline.text.exec(e);if(t){let n=this.lexer.state.inRawBlock;return{type:"text",raw:t[0],text:n?t[0]:De(t[0]),escaped:n}}}},
w=class l{tokens;options;state;inlineQueue;tokenizer;constructor(e){this.tokens=[],this.tokens.links=Object.create(null),this.options=e||S,this.options.tokenizer=
this.options.tokenizer||new _,this.tokenizer=this.options.tokenizer,this.tokenizer.options=this.options,this.tokenizer.lexer=this,this.inlineQueue=[],this.state=
{inLink:!1,inRawBlock:!1,linkEmitted:!1,linkParenPossible:!0,top:!0};let t={other:O,block:ee.normal,inline:F.normal};this.options.pedantic?(t.block=ee.pedantic,
t.inline=F.pedantic):this.options.gfm&&(t.block=ee.gfm,this.options.breaks?t.inline=F.breaks:t.inline=F.gfm),this.tokenizer.rules=t}static get rules(){return{block:ee,
inline:F}}static lex(e,t){return new l(t).lex(e)}static lexInline(e,t){return new l(t).inlineTokens(e)}lex(e){e=e.replace(O.carriageReturn,`
`),this.blockTokens(e,this.tokens);for(let t=0;t<this.inlineQueue.length;t++){let n=this.inlineQueue[t];this.state.inRawBlock=!1,this.inlineTokens(n.src,n.tokens)}
return this.inlineQueue=[],this.tokens}blockTokens(e,t=[],n=!1){this.tokenizer.lexer=this;let r=this.state.lastToken;this.options.pedantic&&(e=e.replace(O.tabCharGlobal,
"    ").replace(O.spaceLine,""));let s=1/0,o,i=this.options.gfm&&!this.options.pedantic&&this.tokenizer.paragraph===_.prototype.paragraph;for(;e;){if(e.length<s)
s=e.length;else{this.infiniteLoopError(e.charCodeAt(0));break}this.state.lastToken=t.at(-1);let a;if(this.options.extensions?.block?.some(u=>(a=u.call({lexer:this},
e,t))?(e=e.substring(a.raw.length),t.push(a),!0):!1))continue;if(a=this.tokenizer.space(e)){e=e.substring(a.raw.length);let u=t.at(-1);a.raw.length===1&&u!==void 0?
u.raw+=`
`:t.push(a);continue}if(a=this.tokenizer.code(e)){e=e.substring(a.raw.length);let u=t.at(-1);u?.type==="paragraph"||u?.type==="text"?(u.raw+=(u.raw.endsWith(`
`)?"":`
`)+a.raw,u.text+=`
`+a.text,this.inlineQueue.at(-1).src=u.text):t.push(a);continue}if(a=this.tokenizer.fences(e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.
heading(e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.hr(e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.blockquote(
e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.list(e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.html(e)){e=e.
substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.def(e)){e=e.substring(a.raw.length);let u=t.at(-1);u?.type==="paragraph"||u?.type==="text"?(u.raw+=
(u.raw.endsWith(`
`)?"":`
`)+a.raw,u.text+=`
`+a.raw,this.inlineQueue.at(-1).src=u.text):(this.tokens.links[a.tag]||(this.tokens.links[a.tag]={href:a.href,title:a.title}),t.push(a));continue}if(a=this.tokenizer.
table(e)){e=e.substring(a.raw.length),t.push(a);continue}if(a=this.tokenizer.lheading(e)){e=e.substring(a.raw.length),t.push(a);continue}let c=e;if(this.options.
extensions?.startBlock){let u=1/0,d=e.slice(1),h;this.options.extensions.startBlock.forEach(p=>{h=p.call({lexer:this},d),typeof h=="number"&&h>=0&&(u=Math.min(u,
h))}),u<1/0&&u>=0&&(c=e.substring(0,u+1))}if(this.state.top&&(a=this.tokenizer.paragraph(c))){let u=t.at(-1);(n||u===o&&i)&&u?.type==="paragraph"?(u.raw+=(u.raw.
endsWith(`
`)?"":`
`)+a.raw,u.text+=`
`+a.text,this.inlineQueue.pop(),this.inlineQueue.at(-1).src=u.text,o=u):(t.push(a),o=a),n=c.length!==e.length,e=e.substring(a.raw.length);continue}if(a=this.tokenizer.
text(e)){e=e.substring(a.raw.length);let u=t.at(-1);u?.type==="text"?(u.raw+=(u.raw.endsWith(`
`)?"":`
`)+a.raw,u.text+=`
`+a.text,this.inlineQueue.pop(),this.inlineQueue.at(-1).src=u.text):t.push(a);continue}if(e){this.infiniteLoopError(e.charCodeAt(0));break}}return this.state.top=
!0,this.state.lastToken=r,t}inline(e,t=[]){return this.inlineQueue.push({src:e,tokens:t}),t}linkInText(e){if(!e.includes("["))return!1;let t=this.tokenizer.rules.
inline.link;for(let n of e.matchAll(this.tokenizer.rules.inline.blockSkip))if(t.test(n[0])&&e.charAt(n.index-1)!=="!")return!0;for(let n of e.matchAll(this.tokenizer.
rules.inline.reflinkSearch)){let r=n[0],s=r.lastIndexOf("[");if(!(r.charAt(0)==="!"||!Object.hasOwn(this.tokens.links,W(r.slice(s+1,-1))))&&!(s>1&&this.linkInText(
r.slice(1,s-1))))return!0}return!1}inlineTokens(e,t=[]){this.tokenizer.lexer=this;let n=this.state.linkParenPossible;this.state.linkParenPossible=e.includes(")");
try{return this.#t(e,t)}finally{this.state.linkParenPossible=n}}#t(e,t){let n=e.includes("*")||e.includes("_")||e.includes("~"),r=n||this.options.hooks?.emStrongMask||
this.tokenizer.emStrong!==_.prototype.emStrong||this.tokenizer.del!==_.prototype.del?this.#r(e):e;if(!n)return this.#e(e,r,t);qe(this.tokenizer,r);try{return this.#e(
e,r,t)}finally{ve(this.tokenizer)}}#e(e,t,n){let r=!1,s="",o=1/0;for(;e;){if(e.length<o)o=e.length;else{this.infiniteLoopError(e.charCodeAt(0));break}r||(s=""),
r=!1;let i;if(this.options.extensions?.inline?.some(u=>(i=u.call({lexer:this},e,n))?(e=e.substring(i.raw.length),n.push(i),!0):!1))continue;if(i=this.tokenizer.
escape(e)){e=e.substring(i.raw.length),n.push(i);continue}if(i=this.tokenizer.tag(e)){e=e.substring(i.raw.length),n.push(i);continue}if(i=this.tokenizer.link(e)){
e=e.substring(i.raw.length),n.push(i);continue}if(i=this.tokenizer.reflink(e,this.tokens.links)){e=e.substring(i.raw.length);let u=n.at(-1);i.type==="text"&&u?.
type==="text"?(u.raw+=i.raw,u.text+=i.text):n.push(i);continue}let a=e[0];if(a==="*"||a==="_"){let u=t.length-e.length;if(oe(this.tokenizer,t,a)<=u){let h=1;for(;h<
e.length&&e.charCodeAt(h)===a.charCodeAt(0);)h++;let p=e.substring(0,h),k=n.at(-1);k?.type==="text"&&!k.escaped?(k.raw+=p,k.text+=p):n.push({type:"text",raw:p,text:p,
escaped:!1}),e=e.substring(h),s=a,r=!0;continue}}else if(a==="~"){let u=t.length-e.length;if(ae(this.tokenizer,t)<=u){let h=1;for(;h<e.length&&e.charCodeAt(h)===
126;)h++;let p=e.substring(0,h),k=n.at(-1);k?.type==="text"&&!k.escaped?(k.raw+=p,k.text+=p):n.push({type:"text",raw:p,text:p,escaped:!1}),e=e.substring(h),s=a,
r=!0;continue}}if(i=this.tokenizer.emStrong(e,t,s)){e=e.substring(i.raw.length),n.push(i);continue}if(i=this.tokenizer.codespan(e)){e=e.substring(i.raw.length),
n.push(i);continue}if(i=this.tokenizer.br(e)){e=e.substring(i.raw.length),n.push(i);continue}if(i=this.tokenizer.del(e,t,s)){e=e.substring(i.raw.length),n.push(
i);continue}if(i=this.tokenizer.autolink(e)){e=e.substring(i.raw.length),n.push(i);continue}if(!this.state.inLink&&(i=this.tokenizer.url(e))){e=e.substring(i.raw.
length),n.push(i);continue}let c=e;if(this.options.extensions?.startInline){let u=1/0,d=e.slice(1),h;this.options.extensions.startInline.forEach(p=>{h=p.call({lexer:this},
d),typeof h=="number"&&h>=0&&(u=Math.min(u,h))}),u<1/0&&u>=0&&(c=e.substring(0,u+1))}if(i=this.tokenizer.inlineText(c)){e=e.substring(i.raw.length),i.raw.slice(
-1)!=="_"&&(s=i.raw.slice(-1)),r=!0;let u=n.at(-1);u?.type==="text"?(u.raw+=i.raw,u.text+=i.text):n.push(i);continue}if(e){this.infiniteLoopError(e.charCodeAt(0));
break}}return n}#n(e){let{blockSkip:t,tag:n,autolink:r}=this.tokenizer.rules.inline,s="",o=0,i;for(t.lastIndex=0;i=t.exec(e);){let a=i.index+(i[2]?i[2].length:0),
c=i.index+i[0].length;if(e.charAt(a)==="<"){let u=e.slice(a),d=n.exec(u)||r.exec(u);if(!d){t.lastIndex=a+1;continue}c=a+d[0].length,t.lastIndex=c}s+=e.slice(o,a)+
"["+"a".repeat(c-a-2)+"]",o=c}return s+e.slice(o)}#r(e){let t=e;if(this.tokens.links&&e.includes("[")){let n=this.tokenizer.rules.inline.reflinkSearch,r=s=>{let o=s.
lastIndexOf("[");if(!Object.hasOwn(this.tokens.links,W(s.slice(o+1,-1))))return s;if(o>1&&s.charAt(0)!=="!"){let i=s.slice(1,o-1);if(this.linkInText(i))return"["+
i.replace(n,r)+"]["+"a".repeat(s.length-o-2)+"]"}return"["+"a".repeat(s.length-2)+"]"};t=t.replace(n,r)}return t=t.replace(this.tokenizer.rules.inline.anyPunctuationOutsideCode,
(n,r,s)=>s?"+".repeat(n.length):r?r+n.slice(r.length,-r.length).replace(/`/g,"+")+r:n),t=this.#n(t),t=this.options.hooks?.emStrongMask?.call({lexer:this},t)??t,
t}infiniteLoopError(e){let t="Infinite loop on byte: "+e;if(this.options.silent)console.error(t);else throw new Error(t)}};var LONGEST=1e4,LONG=60,BLOCK=/^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[^])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[^])+?)\\\])[ \t]*(?:\n|$)/,OPEN=/^ {0,3}(?:\$\$|\\\[)(?:(?!\n[ \t]*\n|\$\$|\\\])[^])*$/,
INLINE=/^(?:\$\$((?:(?!\n[ \t]*\n)[^`])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[^`])+?)\\\]|\\\(((?:(?!\n[ \t]*\n)[^`])+?)\\\))/,DOLLARS=/^\$((?:\\[^\n]|[^\s$\\`])(?:(?:\\[^\n]|[^$\\`\n])*?(?:\\[^\n]|[^\s$\\`]))?)\$(?![\p{L}\p{N}$])/u,
AMOUNT=new RegExp("^[\\d.,]+\\s+\\p{L}{2}|^[\\d.,]+$","u"),START=/\$|\\[([]/,blockFormula={name:"formula",level:"block",start:text2=>interrupts(text2,BLOCK),tokenizer:text2=>{
let found=BLOCK.exec(text2);return found?formula(found[0],found[1]??found[2],!0):void 0}},openFormula={name:"openFormula",level:"block",start:text2=>interrupts(
text2,OPEN),tokenizer:text2=>{let found=OPEN.exec(text2);return found?{type:"openFormula",raw:found[0]}:void 0}};function interrupts(text2,formula2){let paragraph=/\n[ \t]*\n/.
exec(text2)?.index??text2.length;for(let{index}of text2.slice(0,paragraph).matchAll(/\n {0,3}(?:\$\$|\\\[)/g))if(formula2.test(text2.slice(index+1)))return index}
var inlineFormula={name:"formula",level:"inline",start:text2=>text2.match(START)?.index,tokenizer:(text2,before)=>inline(text2,before.at(-1)?.raw.at(-1)??"")};function inline(text2,before){
let found=INLINE.exec(text2);if(found)return formula(found[0],found[1]??found[2]??found[3],found[3]===void 0);let single=DOLLARS.exec(text2);if(!(!single||/[\p{L}\p{N}$\\]/u.
test(before)||AMOUNT.test(single[1])))return formula(single[0],single[1],!1)}function formula(raw,tex,display){return{type:"formula",raw,tex:tex.trim(),display}}
function hide(text2){if(!START.test(text2))return text2;let hidden="";for(let at2=0;at2<text2.length;){let found=text2[at2]==="$"||text2[at2]==="\\"?inline(text2.
slice(at2),text2[at2-1]??""):void 0,step=found?found.raw.length:1;hidden+=found?"a".repeat(step):text2[at2],at2+=step}return hidden}var isFormula=token=>token.type===
"formula",render=null,asked=!1,waiting2=new Set,known=new Map,KNOWN=500;function formulaNode(formula2){let place=document.createElement("span");return place.className=
formula2.display?"formula display":formula2.tex.length>LONG?"formula long":"formula",place.append(formula2.raw.trim()),render?draw(place,formula2):(waiting2.add(
{place,formula:formula2}),load()),place}function load(){asked||typeof MathMLElement>"u"||(asked=!0,import("./temml.EZQZF2BM.js").then(file2=>{render=file2.
render;for(let{place,formula:formula2}of waiting2)draw(place,formula2);waiting2.clear()},()=>asked=!1))}function draw(place,formula2){let made=nodeOf(formula2);
made&&(place.replaceChildren(made),(formula2.display||formula2.tex.length>LONG)&&(place.tabIndex=0,place.setAttribute("role","group"),place.setAttribute("aria-l\
abel",words.draw.formula)))}function nodeOf({tex,display}){let key=`${display?"d":"i"}${tex}`,made=known.get(key);if(made===void 0){if(made=null,tex.length<=LONGEST)
try{made=render(tex,display)}catch{}known.size>=KNOWN&&known.delete(known.keys().next().value),known.set(key,made)}return made?.cloneNode(!0)??null}var LINK=/^(https?:|mailto:)/i,IMAGE=/^data:image\/(png|jpeg|gif|webp);base64,/i;function element(name,children=[],className){let made=document.createElement(name);
return className&&(made.className=className),made.append(...children),made}function blockNodes(token,settled){if(isFormula(token))return[element("p",[formulaNode(
token)])];if(token.type==="openFormula")return[element("p",[token.raw],"raw")];let known2=token;switch(known2.type){case"space":case"def":return[];case"hr":return[
element("hr")];case"heading":return[either(element(`h${Math.min(6,known2.depth+2)}`,inline2(known2.tokens)))];case"paragraph":return[either(element("p",inline2(
known2.tokens)))];case"text":return known2.tokens?inline2(known2.tokens):[text(known2.text)];case"html":return[either(element("p",lines(known2.raw.trimEnd()),"r\
aw"))];case"blockquote":return[either(element("blockquote",blocks(known2.tokens,settled)))];case"list":return[list(known2,settled)];case"table":return[table(known2)];case"\
code":return[code(known2,settled)];default:return inline2([token])}}function either(made){return made.dir="auto",made}var BREAK=/<br\s*\/?>/i;function lines(raw){
return raw.split(BREAK).flatMap((line,place)=>place>0?[element("br"),text(line)]:[text(line)])}function blocks(tokens,settled){return tokens.flatMap(token=>blockNodes(
token,settled))}function list(token,settled){let items=token.items.map(item=>{let mark=item.task?[item.checked?"☑ ":"☐ "]:[];return element("li",[...mark,...blocks(
item.tokens,settled)],item.task?"task":void 0)});if(!token.ordered)return either(element("ul",items));let made=either(element("ol",items));return token.start!==
""&&token.start!==1&&(made.start=token.start),made}function table(token){let row=(cells,name)=>element("tr",cells.map((cell,column)=>{let made=either(element(name,
inline2(cell.tokens)));return name==="th"&&(made.scope="col"),token.align[column]&&(made.className=token.align[column]),made})),head=element("thead",[row(token.
header,"th")]),body=element("tbody",token.rows.map(cells=>row(cells,"td")));return scrolls(either(element("table",token.rows.length?[head,body]:[head])),words.draw.
table)}function scrolls(child,label){let made=element("div",[child],"scroll");return made.tabIndex=0,made.setAttribute("role","group"),made.setAttribute("aria-l\
abel",label),made}function code(token,settled){let view=codeView(token.lang??"");return view.append(token.text),settled&&highlightLater(view),view.element}function inline2(tokens){
return tokens.flatMap(token=>{if(isFormula(token))return[formulaNode(token)];let known2=token;switch(known2.type){case"strong":case"em":case"del":return[element(
known2.type,inline2(known2.tokens))];case"codespan":return[element("code",[known2.text])];case"br":return[element("br")];case"link":return[link(known2)];case"im\
age":return[image(known2)];case"escape":return[text(known2.text)];case"checkbox":return[];case"text":return known2.tokens?inline2(known2.tokens):[text(entities(
known2.raw))];default:return lines(known2.raw)}})}function text(content){return document.createTextNode(content)}function link(token){let inside=inline2(token.tokens),
href=entities(token.href);return LINK.test(href)?address(href,inside):element("span",inside)}function address(href,inside){let made=element("a",inside);return made.
href=href,made.rel="noreferrer noopener",made.target="_blank",made}function image(token){let name=entities(token.text)||words.draw.image,href=entities(token.href);
if(IMAGE.test(href)){let made=element("img");return made.alt=name,made.src=href,made}if(!/^https?:/i.test(href))return text(token.raw);let button=element("butto\
n",[`${words.draw.showAddress} ${name}`],"image-address");return button.type="button",button.addEventListener("click",()=>button.replaceWith(address(href,[href]))),
button}var named={amp:"&",lt:"<",gt:">",quot:'"',apos:"'",nbsp:" "};function entities(content){return content.includes("&")?content.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi,
(whole,decimal,hex,name)=>{if(name)return named[name]??whole;let point=decimal?Number(decimal):parseInt(hex,16);return point>0&&point<=1114111?String.fromCodePoint(
point):whole}):content}var PIECE=8192,FENCE=/^ {0,3}(`{3,}|~{3,})/,DEEPEST=32,Blocks=class extends _{depth=0;def(){}blockquote(...given){return this.within(()=>super.blockquote(...given))}list(...given){
return this.within(()=>super.list(...given))}link(...given){return this.within(()=>super.link(...given))}reflink(...given){return this.within(()=>super.reflink(
...given))}emStrong(...given){return this.within(()=>super.emStrong(...given))}del(...given){return this.within(()=>super.del(...given))}within(read){if(this.depth!==
DEEPEST){this.depth+=1;try{return read()}finally{this.depth-=1}}}};function extensions(complete){let blocks2=complete?[blockFormula]:[blockFormula,openFormula];
return{block:blocks2.map(({tokenizer})=>tokenizer),startBlock:blocks2.map(({start})=>start),inline:[inlineFormula.tokenizer],startInline:[inlineFormula.start]}}
var hooks={emStrongMask:hide};function lex(text2,complete=!1){let options={gfm:!0,tokenizer:new Blocks,extensions:extensions(complete),hooks};return new w(options).
lex(text2)}var Markdown=class{constructor(root){this.root=root}root;pending="";tail="";tailNodes=[];open=null;append(text2){this.pending+=text2.replaceAll("\r",
"")}draw(until=1/0){let changed=!1;for(;this.pending;){let piece=this.pending.slice(0,PIECE);if(this.pending=this.pending.slice(PIECE),this.tail+=piece,(!this.open||
!this.feed(piece))&&(changed=!0,this.settle()),performance.now()>=until)break}return changed&&!this.open&&this.drawTail(),this.pending===""}finish(){this.draw(),
this.open=null,this.drawTail(!0),this.tailNodes=[],this.tail=""}settle(){this.open=null;let tokens=lex(this.tail.slice(0,this.tail.lastIndexOf(`
`)+1)),last=tokens.findLastIndex(token=>token.type!=="space"),settled=tokens.slice(0,isClosed(tokens[last])?last+1:Math.max(0,last));settled.length>0&&(this.clearTail(),
this.root.append(...settled.flatMap(token=>blockNodes(token,!0))),this.tail=this.tail.slice(settled.reduce((length,token)=>length+token.raw.length,0))),this.openCode()}clearTail(){
for(let node of this.tailNodes)node.parentNode?.removeChild(node);this.tailNodes=[]}drawTail(settled=!1){this.clearTail(),this.tailNodes=lex(this.tail,settled).
flatMap(token=>blockNodes(token,settled)),this.root.append(...this.tailNodes)}openCode(){let fence=FENCE.exec(this.tail)?.[1],start=this.tail.indexOf(`
`)+1;if(!fence||start===0)return;let token=lex(this.tail.slice(0,start))[0];if(token.type!=="code"||token.codeBlockStyle==="indented")return;this.clearTail();let view=codeView(
token.lang??"");this.open={fence,view,held:""},this.tailNodes=[view.element],this.root.append(view.element),this.feed(this.tail.slice(start))}feed(piece){let{fence,
view,held}=this.open,text2=held+piece,last=text2.slice(text2.lastIndexOf(`
`)+1);return text2.split(`
`).slice(0,-1).some(line=>closes(line,fence))?!1:(this.open.held=/^ {0,3}[`~]* *$/.test(last)?last:"",view.append(text2.slice(0,text2.length-this.open.held.length)),
!0)}};function closes(line,fence){let trimmed=line.replace(/^ {0,3}/,"");return trimmed.startsWith(fence)&&/^[`~]+ *$/.test(trimmed)}function isClosed(token){let fence=token?.
type==="code"&&FENCE.exec(token.raw)?.[1],lines2=token?.raw.trimEnd().split(`
`)??[];return!!fence&&lines2.length>1&&closes(lines2.at(-1),fence)}var SegmentsView=class{constructor(root){this.root=root}root;views=[];draw(segments,whole,until=1/0){for(let place=0;place<segments.length;place++){let segment=segments[place];
this.views[place]??={view:this.make(segment),length:0,finished:!1};let shown=this.views[place];if(shown.finished){segment.type==="code"&&shown.view.draw(segment,
"",until);continue}let added=segment.text.slice(shown.length);if(shown.length=segment.text.length,!shown.view.draw(segment,added,until)||((whole||place<segments.
length-1)&&(shown.view.finish?.(segment),shown.finished=!0),performance.now()>=until&&place<segments.length-1))return!1}return!0}make(segment){let view=makers[segment.
type](segment);return this.root.append(view.element),view}},makers={text:()=>{let root=element("div",[],"text"),markdown=new Markdown(root);return{element:root,
draw:(_2,added,until)=>(markdown.append(added),markdown.draw(until)),finish:()=>markdown.finish()}},reasoning,code:segment=>{let view=codeView(segment.type==="c\
ode"?segment.language:"",!0);return{element:view.element,draw:(now,added)=>(added&&view.append(added),now.type==="code"&&view.activate(now.active),!0),finish:()=>highlightLater(
view)}},console:()=>plainBlock(words.chat.console,"console"),call:segment=>folded(`${words.chat.call} ${segment.type==="call"?segment.name:""}`,pretty),result:()=>folded(
words.chat.result,pretty),confirmation:()=>({element:element("p",[words.chat.confirmation],"fine confirmation"),draw:()=>!0}),image:segment=>image2(segment.text),
file:segment=>file(segment),error:()=>plainBlock(words.chat.error,"failed")};function reasoning(){let title=document.createTextNode(words.chat.thinking),root=element(
"div",[],"text"),markdown=new Markdown(root);return{element:element("details",[element("summary",[title]),root],"folded reasoning"),draw:(_2,added,until)=>(markdown.
append(added),markdown.draw(until)),finish:segment=>{let ms=thought.get(segment);title.data=ms===void 0?words.chat.reasoning:fill(words.chat.thought,{time:duration(
ms)}),markdown.finish()}}}function plainBlock(label,className){let content=document.createTextNode(""),pre=element("pre",[content]);pre.tabIndex=0,pre.setAttribute(
"role","group"),pre.setAttribute("aria-label",label);let title=element("p",[label],"fine");return{element:element("div",[title,pre],className),draw:(_2,added)=>(content.
appendData(added),!0)}}function folded(label,complete){let content=document.createTextNode(""),title=document.createTextNode(label),summary=element("summary",[title]),
pre=element("pre",[content]);return pre.tabIndex=0,{element:element("details",[summary,pre],"folded"),draw:(segment,added)=>(content.appendData(added),segment.type===
"call"&&(title.data=`${words.chat.call} ${segment.name}`),!0),finish:segment=>{complete&&(content.data=complete(segment.text))}}}function pretty(text2){try{return JSON.
stringify(JSON.parse(text2),null,2)}catch{return text2}}function image2(address2){let made=element("figure");if(/^data:image\/(png|jpeg|gif|webp);base64,/i.test(
address2)){let picture2=element("img");picture2.alt=words.chat.image,picture2.src=address2,made.append(picture2)}else{let button=element("button",[`${words.draw.
showAddress} ${words.draw.image}`]);button.type="button",button.addEventListener("click",()=>button.replaceWith(element("code",[address2]))),made.append(button)}
return{element:made,draw:()=>!0}}function file(segment){let name=segment.type==="file"?segment.name:"",made=segment.text?element("details",[element("summary",[name]),
element("pre",[segment.text])],"folded"):element("p",[name],"attached");return segment.type==="file"&&segment.id&&/\.(png|jpe?g|gif|webp)$/i.test(name)&&show(segment.
id,name,made),{element:made,draw:()=>!0}}async function show(id,name,behind){let blob=await call(`/v1/files/${id}/content`).then(answer=>answer.blob()).then(picture).
catch(()=>null);if(!blob)return;let made=element("img");made.alt=name,made.src=URL.createObjectURL(blob),made.onload=()=>URL.revokeObjectURL(made.src),behind.after(
element("figure",[made]))}export{theirs,byGateway,somethingLeft,detailOf,addStored,Growing,openCalls,plain,enclosedIn,userMessage,drawSoon,drawNever,SegmentsView};
