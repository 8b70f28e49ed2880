import"./chunk.NTAP2V3D.js";var v=class _v{constructor(t,r){let o=" "+t,s,i=r&&r.loc;if(i&&i.start<=i.end){let c=i.lexer.input;s=i.start;let h=i.end;s===c.length?o+=" at end of input: ":o+=
" at position "+(s+1)+`: 
`;let g=c.slice(s,h).replace(/[^]/g,"$&̲"),A;s>15?A="…"+c.slice(s-15,s):A=c.slice(0,s);let y;h+15<c.length?y=c.slice(h,h+15)+"…":y=c.slice(h),o+=A+g+y}let l=new Error(
o);return l.name="ParseError",l.__proto__=_v.prototype,l.position=s,l}};v.prototype.__proto__=Error.prototype;var J=function(e,t,r){if(!Object.prototype.hasOwnProperty.
call(e,t))return r;let o=e[t];return o===void 0?r:o},Dr=/([A-Z])/g,Fe=function(e){return e.replace(Dr,"-$1").toLowerCase()},Br={"&":"&amp;",">":"&gt;","<":"&lt;",
'"':"&quot;","'":"&#x27;"},Or=/[&><"']/g;function te(e){return String(e).replace(Or,t=>Br[t])}var ke=function(e){return e.type==="ordgroup"||e.type==="color"?e.
body.length===1?ke(e.body[0]):e:e.type==="font"?ke(e.body):e},Se=function(e){let t=ke(e);return t.type==="mathord"||t.type==="textord"||t.type==="atom"},$r=function(e){
if(!e)throw new Error("Expected non-null, but got "+String(e));return e},Er=function(e){let t=/^[\x00-\x20]*([^\\/#?]*?)(:|&#0*58|&#x0*3a|&colon)/i.exec(e);return t?
t[2]!==":"||!/^[a-zA-Z][a-zA-Z0-9+\-.]*$/.test(t[1])?null:t[1].toLowerCase():"_relative"},Ne=function(e){return+e.toFixed(4)},mt="acegıȷmnopqrsuvwxyzαγεηικμνοπρ\
ςστυχωϕ𝐚𝐜𝐞𝐠𝐦𝐧𝐨𝐩𝐪𝐫𝐬𝐮𝐯𝐰𝐱𝐲𝐳",Lr=["__proto__","prototype","constructor"],zr=e=>{if(e==null||typeof e!="obj\
ect")return Object.create(null);for(let t of Lr)Object.prototype.hasOwnProperty.call(e,t)&&delete e[t];return Object.setPrototypeOf(e,null)},Pe=class{constructor(t){
t=t||{},this.displayMode=J(t,"displayMode",!1),this.annotate=J(t,"annotate",!1),this.leqno=J(t,"leqno",!1),this.throwOnError=J(t,"throwOnError",!1),this.errorColor=
J(t,"errorColor","#b22222"),this.macros=zr(Object.prototype.hasOwnProperty.call(t,"macros")?t.macros:void 0),this.wrap=J(t,"wrap","none"),this.xml=J(t,"xml",!1),
this.colorIsTextColor=J(t,"colorIsTextColor",!1),this.strict=J(t,"strict",!1),this.trust=J(t,"trust",!1);let r=Object.prototype.hasOwnProperty.call(t,"maxSize")?
t.maxSize:void 0;this.maxSize=r===void 0?[1/0,1/0]:Array.isArray(r)?r:[1/0,1/0],this.maxExpand=Math.max(0,J(t,"maxExpand",1e3)),this.wrapDelimiterPairs=!0}isTrusted(t){
if(t.url&&!t.protocol){let o=Er(t.url);if(o==null)return!1;t.protocol=o}return!!(typeof this.trust=="function"?this.trust(t):this.trust)}},ht={},qe={};function S({
type:e,names:t,props:r,handler:o,mathmlBuilder:s}){let i={type:e,numArgs:r.numArgs,argTypes:r.argTypes,allowedInArgument:!!r.allowedInArgument,allowedInText:!!r.
allowedInText,allowedInMath:r.allowedInMath===void 0?!0:r.allowedInMath,numOptionalArgs:r.numOptionalArgs||0,infix:!!r.infix,primitive:!!r.primitive,handler:o};
for(let l=0;l<t.length;++l)ht[t[l]]=i;e&&s&&(qe[e]=s)}function oe({type:e,mathmlBuilder:t}){S({type:e,names:[],props:{numArgs:0},handler(){throw new Error("Shou\
ld never be called.")},mathmlBuilder:t})}var fe=function(e){return e.type==="ordgroup"&&e.body.length===1?e.body[0]:e},R=function(e){return e.type==="ordgroup"?
e.body:[e]},Me=class{constructor(t){this.children=t,this.classes=[],this.style={}}hasClass(t){return this.classes.includes(t)}toNode(){let t=document.createDocumentFragment();
for(let r=0;r<this.children.length;r++)t.appendChild(this.children[r].toNode());return t}toMarkup(){let t="";for(let r=0;r<this.children.length;r++)t+=this.children[r].
toMarkup();return t}toText(){let t=r=>r.toText();return this.children.map(t).join("")}},de=function(e){return e.filter(t=>t).join(" ")},Ir=function(e,t){this.classes=
e||[],this.attributes={},this.style=t||{}},Fr=function(e){let t=document.createElement(e);t.className=de(this.classes);for(let r in this.style)Object.prototype.
hasOwnProperty.call(this.style,r)&&(t.style[r]=this.style[r]);for(let r in this.attributes)Object.prototype.hasOwnProperty.call(this.attributes,r)&&t.setAttribute(
r,this.attributes[r]);for(let r=0;r<this.children.length;r++)t.appendChild(this.children[r].toNode());return t},Nr=function(e){let t=`<${e}`;this.classes.length&&
(t+=` class="${te(de(this.classes))}"`);let r="";for(let o in this.style)Object.prototype.hasOwnProperty.call(this.style,o)&&(r+=`${Fe(o)}:${this.style[o]};`);r&&
(t+=` style="${r}"`);for(let o in this.attributes)Object.prototype.hasOwnProperty.call(this.attributes,o)&&(t+=` ${o}="${te(this.attributes[o])}"`);t+=">";for(let o=0;o<
this.children.length;o++)t+=this.children[o].toMarkup();return t+=`</${e}>`,t},pt=class{constructor(t,r,o){Ir.call(this,t,o),this.children=r||[]}setAttribute(t,r){
this.attributes[t]=r}toNode(){return Fr.call(this,"span")}toMarkup(){return Nr.call(this,"span")}},Pr=class{constructor(t){this.text=t}toNode(){return document.
createTextNode(this.text)}toMarkup(){return te(this.text)}},ft=class{constructor(t,r,o){this.href=t,this.classes=r,this.children=o||[]}toNode(){let t=document.createElement(
"a");t.setAttribute("href",this.href),this.classes.length>0&&(t.className=de(this.classes));for(let r=0;r<this.children.length;r++)t.appendChild(this.children[r].
toNode());return t}toMarkup(){let t=`<a href='${te(this.href)}'`;this.classes.length>0&&(t+=` class="${te(de(this.classes))}"`),t+=">";for(let r=0;r<this.children.
length;r++)t+=this.children[r].toMarkup();return t+="</a>",t}},Mr=class{constructor(t,r,o){this.alt=r,this.src=t,this.classes=["mord"],this.style=o}hasClass(t){
return this.classes.includes(t)}toNode(){let t=document.createElement("img");t.src=this.src,t.alt=this.alt,t.className="mord";for(let r in this.style)Object.prototype.
hasOwnProperty.call(this.style,r)&&(t.style[r]=this.style[r]);return t}toMarkup(){let t=`<img src='${this.src}' alt='${this.alt}'`,r="";for(let o in this.style)
Object.prototype.hasOwnProperty.call(this.style,o)&&(r+=`${Fe(o)}:${this.style[o]};`);return r&&(t+=` style="${te(r)}"`),t+=">",t}};function ae(e){return new Me(
e)}var p=class{constructor(t,r,o,s){this.type=t,this.attributes={},this.children=r||[],this.classes=o||[],this.style=s||{},this.label=""}setAttribute(t,r){this.
attributes[t]=r}getAttribute(t){return this.attributes[t]}setLabel(t){this.label=t}toNode(){let t=document.createElementNS("http://www.w3.org/1998/Math/MathML",
this.type);for(let r in this.attributes)Object.prototype.hasOwnProperty.call(this.attributes,r)&&t.setAttribute(r,this.attributes[r]);this.classes.length>0&&(t.
className=de(this.classes));for(let r in this.style)Object.prototype.hasOwnProperty.call(this.style,r)&&(t.style[r]=this.style[r]);for(let r=0;r<this.children.length;r++)
t.appendChild(this.children[r].toNode());return t}toMarkup(){let t="<"+this.type;for(let o in this.attributes)Object.prototype.hasOwnProperty.call(this.attributes,
o)&&(t+=" "+o+'="',t+=te(this.attributes[o]),t+='"');this.classes.length>0&&(t+=` class="${te(de(this.classes))}"`);let r="";for(let o in this.style)Object.prototype.
hasOwnProperty.call(this.style,o)&&(r+=`${Fe(o)}:${this.style[o]};`);r&&(t+=` style="${r}"`),t+=">";for(let o=0;o<this.children.length;o++)t+=this.children[o].toMarkup();
return t+="</"+this.type+">",t}toText(){return this.children.map(t=>t.toText()).join("")}},j=class{constructor(t){this.text=t}toNode(){return document.createTextNode(
this.text)}toMarkup(){return te(this.toText())}toText(){return this.text}},Ge=e=>{let t;return e.length===1&&e[0].type==="mrow"?(t=e.pop(),t.type="mstyle"):t=new p(
"mstyle",e),t},se=e=>{let t=0;if(e.body&&Array.isArray(e.body))for(let r of e.body)t+=se(r);else if(e.body)t+=se(e.body);else if(e.type==="supsub")t+=se(e.base),
e.sub&&(t+=.7*se(e.sub)),e.sup&&(t+=.7*se(e.sup));else if(e.type==="mathord"||e.type==="textord")for(let r of e.text.split("")){let o=r.codePointAt(0);96<o&&o<123||
944<o&&o<970?t+=.56:47<o&&o<58?t+=.5:t+=.92}else t+=1;return t},Gr={widehat:"ˆ",widecheck:"ˇ",widetilde:"~",wideparen:"⏜",utilde:"~",overleftarrow:"←",underleftarrow:"\
←",xleftarrow:"←",overrightarrow:"→",underrightarrow:"→",xrightarrow:"→",underbrace:"⏟",overbrace:"⏞",overbracket:"⎴",underbracket:"⎵",overgroup:"\
⏠",overparen:"⏜",undergroup:"⏡",underparen:"⏝",overleftrightarrow:"↔",underleftrightarrow:"↔",xleftrightarrow:"↔",Overrightarrow:"⇒",xRightarrow:"\
⇒",overleftharpoon:"↼",xleftharpoonup:"↼",overrightharpoon:"⇀",xrightharpoonup:"⇀",xLeftarrow:"⇐",xLeftrightarrow:"⇔",xhookleftarrow:"↩",xhookrightarrow:"\
↪",xmapsto:"↦",xrightharpoondown:"⇁",xleftharpoondown:"↽",xtwoheadleftarrow:"↞",xtwoheadrightarrow:"↠",xlongequal:"=",xrightleftarrows:"⇄",xtofrom:"\
⇄",xleftrightharpoons:"⇋",xrightleftharpoons:"⇌",yields:"→",yieldsLeft:"←",mesomerism:"↔",longrightharpoonup:"⇀",longleftharpoondown:"↽",eqrightharpoonup:"\
⇀",eqleftharpoondown:"↽","\\cdrightarrow":"→","\\cdleftarrow":"←","\\cdlongequal":"=",yieldsLeftRight:"⇄",chemequilibrium:"⇌"},Re=function(e){let t=new j(
Gr[e.slice(1)]),r=new p("mo",[t]);return r.setAttribute("stretchy","true"),r},Rr=["\\widehat","\\widecheck"],gt=e=>{let t=Re(e.label);if(e.label.indexOf("tilde")>
-1){let r=se(e.base);1<r&&r<1.6?t.classes.push("tml-tilde-2"):1.6<=r&&r<2.5?t.classes.push("tml-tilde-3"):2.5<=r&&t.classes.push("tml-tilde-4")}else if(Rr.includes(
e.label)){let r=se(e.base);0<r&&r<=1?t.classes.push("tml-hat-1"):1<r&&r<1.6?t.classes.push("tml-hat-2"):1.6<=r&&r<2.5?t.classes.push("tml-hat-3"):2.5<=r&&t.classes.
push("tml-hat-4")}return t},jr={bin:1,close:1,inner:1,open:1,punct:1,rel:1},Ur={"accent-token":1,mathord:1,"op-token":1,spacing:1,textord:1},F=Object.create(null);
F.math=Object.create(null),F.text=Object.create(null);function n(e,t,r,o,s){if(e!=="math"&&e!=="text")throw new TypeError(`Invalid mode: ${e} called in defineSy\
mbol`);let i={group:t,replace:r};F[e][o]=i,s&&r&&(F[e][r]=i)}var a="math",f="text",O="accent-token",b="bin",P="close",ie="inner",k="mathord",D="op-token",M="ope\
n",ge="punct",d="rel",re="spacing",m="textord";n(a,d,"≡","\\equiv",!0),n(a,d,"≺","\\prec",!0),n(a,d,"≻","\\succ",!0),n(a,d,"∼","\\sim",!0),n(a,d,"⟂","\
\\perp",!0),n(a,d,"⪯","\\preceq",!0),n(a,d,"⪰","\\succeq",!0),n(a,d,"≃","\\simeq",!0),n(a,d,"≌","\\backcong",!0),n(a,d,"|","\\mid",!0),n(a,d,"≪","\\ll",
!0),n(a,d,"≫","\\gg",!0),n(a,d,"≍","\\asymp",!0),n(a,d,"∥","\\parallel"),n(a,d,"⌣","\\smile",!0),n(a,d,"⊑","\\sqsubseteq",!0),n(a,d,"⊒","\\sqsupseteq",
!0),n(a,d,"≐","\\doteq",!0),n(a,d,"⌢","\\frown",!0),n(a,d,"∋","\\ni",!0),n(a,d,"∌","\\notni",!0),n(a,d,"∝","\\propto",!0),n(a,d,"⊢","\\vdash",!0),n(
a,d,"⊣","\\dashv",!0),n(a,d,"∋","\\owns"),n(a,d,"≘","\\arceq",!0),n(a,d,"≙","\\wedgeq",!0),n(a,d,"≚","\\veeeq",!0),n(a,d,"≛","\\stareq",!0),n(a,d,"≝",
"\\eqdef",!0),n(a,d,"≞","\\measeq",!0),n(a,d,"≟","\\questeq",!0),n(a,d,"≠","\\ne",!0),n(a,d,"≠","\\neq"),n(a,d,"⩵","\\eqeq",!0),n(a,d,"⩶","\\eqeqeq",
!0),n(a,d,"∷","\\dblcolon",!0),n(a,d,"≔","\\coloneqq",!0),n(a,d,"≕","\\eqqcolon",!0),n(a,d,"∹","\\eqcolon",!0),n(a,d,"⩴","\\Coloneqq",!0),n(a,ge,".","\
\\ldotp"),n(a,ge,"·","\\cdotp"),n(a,m,"#","\\#"),n(f,m,"#","\\#"),n(a,m,"&","\\&"),n(f,m,"&","\\&"),n(a,m,"ℵ","\\aleph",!0),n(a,m,"∀","\\forall",!0),n(a,m,
"ℏ","\\hbar",!0),n(a,m,"∃","\\exists",!0),n(a,M,"∇","\\nabla",!0),n(a,m,"♭","\\flat",!0),n(a,m,"ℓ","\\ell",!0),n(a,m,"♮","\\natural",!0),n(a,m,"Å",
"\\Angstrom",!0),n(f,m,"Å","\\Angstrom",!0),n(a,m,"♣","\\clubsuit",!0),n(a,m,"♧","\\varclubsuit",!0),n(a,m,"℘","\\wp",!0),n(a,m,"♯","\\sharp",!0),n(a,
m,"♢","\\diamondsuit",!0),n(a,m,"♦","\\vardiamondsuit",!0),n(a,m,"ℜ","\\Re",!0),n(a,m,"♡","\\heartsuit",!0),n(a,m,"♥","\\varheartsuit",!0),n(a,m,"ℑ",
"\\Im",!0),n(a,m,"♠","\\spadesuit",!0),n(a,m,"♤","\\varspadesuit",!0),n(a,m,"♀","\\female",!0),n(a,m,"♂","\\male",!0),n(a,m,"§","\\S",!0),n(f,m,"§","\\\
S"),n(a,m,"¶","\\P",!0),n(f,m,"¶","\\P"),n(f,m,"☺","\\smiley",!0),n(a,m,"☺","\\smiley",!0),n(a,m,"†","\\dag"),n(f,m,"†","\\dag"),n(f,m,"†","\\textdag\
ger"),n(a,m,"‡","\\ddag"),n(f,m,"‡","\\ddag"),n(f,m,"‡","\\textdaggerdbl"),n(a,P,"⎱","\\rmoustache",!0),n(a,M,"⎰","\\lmoustache",!0),n(a,P,"⟯","\\rgr\
oup",!0),n(a,M,"⟮","\\lgroup",!0),n(a,b,"∓","\\mp",!0),n(a,b,"⊖","\\ominus",!0),n(a,b,"⊎","\\uplus",!0),n(a,b,"⊓","\\sqcap",!0),n(a,b,"∗","\\ast"),n(
a,b,"⊔","\\sqcup",!0),n(a,b,"◯","\\bigcirc",!0),n(a,b,"∙","\\bullet",!0),n(a,b,"‡","\\ddagger"),n(a,b,"≀","\\wr",!0),n(a,b,"⨿","\\amalg"),n(a,b,"&",
"\\And"),n(a,b,"⫽","\\sslash",!0),n(a,d,"⟵","\\longleftarrow",!0),n(a,d,"⇐","\\Leftarrow",!0),n(a,d,"⟸","\\Longleftarrow",!0),n(a,d,"⟶","\\longrightarr\
ow",!0),n(a,d,"⇒","\\Rightarrow",!0),n(a,d,"⟹","\\Longrightarrow",!0),n(a,d,"↔","\\leftrightarrow",!0),n(a,d,"⟷","\\longleftrightarrow",!0),n(a,d,"⇔",
"\\Leftrightarrow",!0),n(a,d,"⟺","\\Longleftrightarrow",!0),n(a,d,"↤","\\mapsfrom",!0),n(a,d,"↦","\\mapsto",!0),n(a,d,"⟼","\\longmapsto",!0),n(a,d,"↗",
"\\nearrow",!0),n(a,d,"↩","\\hookleftarrow",!0),n(a,d,"↪","\\hookrightarrow",!0),n(a,d,"↘","\\searrow",!0),n(a,d,"↼","\\leftharpoonup",!0),n(a,d,"⇀","\
\\rightharpoonup",!0),n(a,d,"↙","\\swarrow",!0),n(a,d,"↽","\\leftharpoondown",!0),n(a,d,"⇁","\\rightharpoondown",!0),n(a,d,"↖","\\nwarrow",!0),n(a,d,"⇌",
"\\rightleftharpoons",!0),n(a,k,"↯","\\lightning",!0),n(a,k,"∎","\\QED",!0),n(a,k,"‰","\\permil",!0),n(f,m,"‰","\\permil"),n(a,k,"☉","\\astrosun",!0),
n(a,k,"☼","\\sun",!0),n(a,k,"☾","\\leftmoon",!0),n(a,k,"☽","\\rightmoon",!0),n(a,k,"⊕","\\Earth"),n(a,d,"≮","\\nless",!0),n(a,d,"⪇","\\lneq",!0),n(a,
d,"≨","\\lneqq",!0),n(a,d,"≨︀","\\lvertneqq"),n(a,d,"⋦","\\lnsim",!0),n(a,d,"⪉","\\lnapprox",!0),n(a,d,"⊀","\\nprec",!0),n(a,d,"⋠","\\npreceq",!0),
n(a,d,"⋨","\\precnsim",!0),n(a,d,"⪹","\\precnapprox",!0),n(a,d,"≁","\\nsim",!0),n(a,d,"∤","\\nmid",!0),n(a,d,"∤","\\nshortmid"),n(a,d,"⊬","\\nvdash",
!0),n(a,d,"⊭","\\nvDash",!0),n(a,d,"⋪","\\ntriangleleft"),n(a,d,"⋬","\\ntrianglelefteq",!0),n(a,d,"⊄","\\nsubset",!0),n(a,d,"⊅","\\nsupset",!0),n(a,d,
"⊊","\\subsetneq",!0),n(a,d,"⊊︀","\\varsubsetneq"),n(a,d,"⫋","\\subsetneqq",!0),n(a,d,"⫋︀","\\varsubsetneqq"),n(a,d,"≯","\\ngtr",!0),n(a,d,"⪈","\
\\gneq",!0),n(a,d,"≩","\\gneqq",!0),n(a,d,"≩︀","\\gvertneqq"),n(a,d,"⋧","\\gnsim",!0),n(a,d,"⪊","\\gnapprox",!0),n(a,d,"⊁","\\nsucc",!0),n(a,d,"⋡",
"\\nsucceq",!0),n(a,d,"⋩","\\succnsim",!0),n(a,d,"⪺","\\succnapprox",!0),n(a,d,"≆","\\ncong",!0),n(a,d,"∦","\\nparallel",!0),n(a,d,"∦","\\nshortparalle\
l"),n(a,d,"⊯","\\nVDash",!0),n(a,d,"⋫","\\ntriangleright"),n(a,d,"⋭","\\ntrianglerighteq",!0),n(a,d,"⊋","\\supsetneq",!0),n(a,d,"⊋","\\varsupsetneq"),
n(a,d,"⫌","\\supsetneqq",!0),n(a,d,"⫌︀","\\varsupsetneqq"),n(a,d,"⊮","\\nVdash",!0),n(a,d,"⪵","\\precneqq",!0),n(a,d,"⪶","\\succneqq",!0),n(a,b,"⊴",
"\\unlhd"),n(a,b,"⊵","\\unrhd"),n(a,d,"↚","\\nleftarrow",!0),n(a,d,"↛","\\nrightarrow",!0),n(a,d,"⇍","\\nLeftarrow",!0),n(a,d,"⇏","\\nRightarrow",!0),
n(a,d,"↮","\\nleftrightarrow",!0),n(a,d,"⇎","\\nLeftrightarrow",!0),n(a,d,"△","\\vartriangle"),n(a,m,"ℏ","\\hslash"),n(a,m,"▽","\\triangledown"),n(a,m,
"◊","\\lozenge"),n(a,m,"Ⓢ","\\circledS"),n(a,m,"®","\\circledR",!0),n(f,m,"®","\\circledR"),n(f,m,"®","\\textregistered"),n(a,m,"∡","\\measuredangle",!0),
n(a,m,"∄","\\nexists"),n(a,m,"℧","\\mho"),n(a,m,"Ⅎ","\\Finv",!0),n(a,m,"⅁","\\Game",!0),n(a,m,"‵","\\backprime"),n(a,m,"‶","\\backdprime"),n(a,m,"‷",
"\\backtrprime"),n(a,m,"▲","\\blacktriangle"),n(a,m,"▼","\\blacktriangledown"),n(a,m,"■","\\blacksquare"),n(a,m,"⧫","\\blacklozenge"),n(a,m,"★","\\bigs\
tar"),n(a,m,"∢","\\sphericalangle",!0),n(a,m,"∁","\\complement",!0),n(a,m,"╱","\\diagup"),n(a,m,"╲","\\diagdown"),n(a,m,"□","\\square"),n(a,m,"□","\\\
Box"),n(a,m,"◊","\\Diamond"),n(a,m,"¥","\\yen",!0),n(f,m,"¥","\\yen",!0),n(a,m,"✓","\\checkmark",!0),n(f,m,"✓","\\checkmark"),n(a,m,"✗","\\ballotx",!0),
n(f,m,"✗","\\ballotx"),n(f,m,"•","\\textbullet"),n(a,m,"ℶ","\\beth",!0),n(a,m,"ℸ","\\daleth",!0),n(a,m,"ℷ","\\gimel",!0),n(a,m,"ϝ","\\digamma",!0),n(
a,m,"ϰ","\\varkappa"),n(a,M,"⌜","\\ulcorner",!0),n(a,P,"⌝","\\urcorner",!0),n(a,M,"⌞","\\llcorner",!0),n(a,P,"⌟","\\lrcorner",!0),n(a,d,"≦","\\leqq",
!0),n(a,d,"⩽","\\leqslant",!0),n(a,d,"⪕","\\eqslantless",!0),n(a,d,"≲","\\lesssim",!0),n(a,d,"⪅","\\lessapprox",!0),n(a,d,"≊","\\approxeq",!0),n(a,b,"\
⋖","\\lessdot"),n(a,d,"⋘","\\lll",!0),n(a,d,"≶","\\lessgtr",!0),n(a,d,"⋚","\\lesseqgtr",!0),n(a,d,"⪋","\\lesseqqgtr",!0),n(a,d,"≑","\\doteqdot"),n(a,
d,"≓","\\risingdotseq",!0),n(a,d,"≒","\\fallingdotseq",!0),n(a,d,"∽","\\backsim",!0),n(a,d,"⋍","\\backsimeq",!0),n(a,d,"⫅","\\subseteqq",!0),n(a,d,"⋐",
"\\Subset",!0),n(a,d,"⊏","\\sqsubset",!0),n(a,d,"≼","\\preccurlyeq",!0),n(a,d,"⋞","\\curlyeqprec",!0),n(a,d,"≾","\\precsim",!0),n(a,d,"⪷","\\precapprox",
!0),n(a,d,"⊲","\\vartriangleleft"),n(a,d,"⊴","\\trianglelefteq"),n(a,d,"⊨","\\vDash",!0),n(a,d,"⊫","\\VDash",!0),n(a,d,"⊪","\\Vvdash",!0),n(a,d,"⌣",
"\\smallsmile"),n(a,d,"⌢","\\smallfrown"),n(a,d,"≏","\\bumpeq",!0),n(a,d,"≎","\\Bumpeq",!0),n(a,d,"≧","\\geqq",!0),n(a,d,"⩾","\\geqslant",!0),n(a,d,"⪖",
"\\eqslantgtr",!0),n(a,d,"≳","\\gtrsim",!0),n(a,d,"⪆","\\gtrapprox",!0),n(a,b,"⋗","\\gtrdot"),n(a,d,"⋙","\\ggg",!0),n(a,d,"≷","\\gtrless",!0),n(a,d,"⋛",
"\\gtreqless",!0),n(a,d,"⪌","\\gtreqqless",!0),n(a,d,"≖","\\eqcirc",!0),n(a,d,"≗","\\circeq",!0),n(a,d,"≜","\\triangleq",!0),n(a,d,"∼","\\thicksim"),n(
a,d,"≈","\\thickapprox"),n(a,d,"⫆","\\supseteqq",!0),n(a,d,"⋑","\\Supset",!0),n(a,d,"⊐","\\sqsupset",!0),n(a,d,"≽","\\succcurlyeq",!0),n(a,d,"⋟","\\c\
urlyeqsucc",!0),n(a,d,"≿","\\succsim",!0),n(a,d,"⪸","\\succapprox",!0),n(a,d,"⊳","\\vartriangleright"),n(a,d,"⊵","\\trianglerighteq"),n(a,d,"⊩","\\Vdas\
h",!0),n(a,d,"∣","\\shortmid"),n(a,d,"∥","\\shortparallel"),n(a,d,"≬","\\between",!0),n(a,d,"⋔","\\pitchfork",!0),n(a,d,"∝","\\varpropto"),n(a,d,"◀",
"\\blacktriangleleft"),n(a,d,"∴","\\therefore",!0),n(a,d,"∍","\\backepsilon"),n(a,d,"▶","\\blacktriangleright"),n(a,d,"∵","\\because",!0),n(a,d,"⋘","\\\
llless"),n(a,d,"⋙","\\gggtr"),n(a,b,"⊲","\\lhd"),n(a,b,"⊳","\\rhd"),n(a,d,"≂","\\eqsim",!0),n(a,d,"≑","\\Doteq",!0),n(a,d,"⥽","\\strictif",!0),n(a,d,
"⥼","\\strictfi",!0),n(a,b,"∔","\\dotplus",!0),n(a,b,"∖","\\smallsetminus"),n(a,b,"⋒","\\Cap",!0),n(a,b,"⋓","\\Cup",!0),n(a,b,"⩞","\\doublebarwedge",
!0),n(a,b,"⊟","\\boxminus",!0),n(a,b,"⊞","\\boxplus",!0),n(a,b,"⧄","\\boxslash",!0),n(a,b,"⋇","\\divideontimes",!0),n(a,b,"⋉","\\ltimes",!0),n(a,b,"⋊",
"\\rtimes",!0),n(a,b,"⋋","\\leftthreetimes",!0),n(a,b,"⋌","\\rightthreetimes",!0),n(a,b,"⋏","\\curlywedge",!0),n(a,b,"⋎","\\curlyvee",!0),n(a,b,"⊝","\\\
circleddash",!0),n(a,b,"⊛","\\circledast",!0),n(a,b,"⊺","\\intercal",!0),n(a,b,"⋒","\\doublecap"),n(a,b,"⋓","\\doublecup"),n(a,b,"⊠","\\boxtimes",!0),
n(a,b,"⋈","\\bowtie",!0),n(a,b,"⋈","\\Join"),n(a,b,"⟕","\\leftouterjoin",!0),n(a,b,"⟖","\\rightouterjoin",!0),n(a,b,"⟗","\\fullouterjoin",!0),n(a,b,"∸",
"\\dotminus",!0),n(a,b,"⟑","\\wedgedot",!0),n(a,b,"⟇","\\veedot",!0),n(a,b,"⩢","\\doublebarvee",!0),n(a,b,"⩣","\\veedoublebar",!0),n(a,b,"⩟","\\wedgeba\
r",!0),n(a,b,"⩠","\\wedgedoublebar",!0),n(a,b,"⩔","\\Vee",!0),n(a,b,"⩓","\\Wedge",!0),n(a,b,"⩃","\\barcap",!0),n(a,b,"⩂","\\barcup",!0),n(a,b,"⩈","\\\
capbarcup",!0),n(a,b,"⩀","\\capdot",!0),n(a,b,"⩇","\\capovercup",!0),n(a,b,"⩆","\\cupovercap",!0),n(a,b,"⩍","\\closedvarcap",!0),n(a,b,"⩌","\\closedvar\
cup",!0),n(a,b,"⨪","\\minusdot",!0),n(a,b,"⨫","\\minusfdots",!0),n(a,b,"⨬","\\minusrdots",!0),n(a,b,"⊻","\\Xor",!0),n(a,b,"⊼","\\Nand",!0),n(a,b,"⊽",
"\\Nor",!0),n(a,b,"⊽","\\barvee"),n(a,b,"⫴","\\interleave",!0),n(a,b,"⧢","\\shuffle",!0),n(a,b,"⫶","\\threedotcolon",!0),n(a,b,"⦂","\\typecolon",!0),n(
a,b,"∾","\\invlazys",!0),n(a,b,"⩋","\\twocaps",!0),n(a,b,"⩊","\\twocups",!0),n(a,b,"⩎","\\Sqcap",!0),n(a,b,"⩏","\\Sqcup",!0),n(a,b,"⩖","\\veeonvee",
!0),n(a,b,"⩕","\\wedgeonwedge",!0),n(a,b,"⧗","\\blackhourglass",!0),n(a,b,"⧆","\\boxast",!0),n(a,b,"⧈","\\boxbox",!0),n(a,b,"⧇","\\boxcircle",!0),n(a,
b,"⊜","\\circledequal",!0),n(a,b,"⦷","\\circledparallel",!0),n(a,b,"⦶","\\circledvert",!0),n(a,b,"⦵","\\circlehbar",!0),n(a,b,"⟡","\\concavediamond",!0),
n(a,b,"⟢","\\concavediamondtickleft",!0),n(a,b,"⟣","\\concavediamondtickright",!0),n(a,b,"⋄","\\diamond",!0),n(a,b,"⧖","\\hourglass",!0),n(a,b,"⟠","\\l\
ozengeminus",!0),n(a,b,"⌽","\\obar",!0),n(a,b,"⦸","\\obslash",!0),n(a,b,"⨸","\\odiv",!0),n(a,b,"⧁","\\ogreaterthan",!0),n(a,b,"⧀","\\olessthan",!0),n(
a,b,"⦹","\\operp",!0),n(a,b,"⨷","\\Otimes",!0),n(a,b,"⨶","\\otimeshat",!0),n(a,b,"⋆","\\star",!0),n(a,b,"△","\\triangle",!0),n(a,b,"⨺","\\trianglemin\
us",!0),n(a,b,"⨹","\\triangleplus",!0),n(a,b,"⨻","\\triangletimes",!0),n(a,b,"⟤","\\whitesquaretickleft",!0),n(a,b,"⟥","\\whitesquaretickright",!0),n(a,
b,"⨳","\\smashtimes",!0),n(a,d,"⇢","\\dashrightarrow",!0),n(a,d,"⇠","\\dashleftarrow",!0),n(a,d,"⇇","\\leftleftarrows",!0),n(a,d,"⇆","\\leftrightarrows",
!0),n(a,d,"⇚","\\Lleftarrow",!0),n(a,d,"↞","\\twoheadleftarrow",!0),n(a,d,"↢","\\leftarrowtail",!0),n(a,d,"↫","\\looparrowleft",!0),n(a,d,"⇋","\\leftri\
ghtharpoons",!0),n(a,d,"↶","\\curvearrowleft",!0),n(a,d,"↺","\\circlearrowleft",!0),n(a,d,"↰","\\Lsh",!0),n(a,d,"⇈","\\upuparrows",!0),n(a,d,"↿","\\uph\
arpoonleft",!0),n(a,d,"⇃","\\downharpoonleft",!0),n(a,d,"⊶","\\origof",!0),n(a,d,"⊷","\\imageof",!0),n(a,d,"⊸","\\multimap",!0),n(a,d,"↭","\\leftrights\
quigarrow",!0),n(a,d,"⇉","\\rightrightarrows",!0),n(a,d,"⇄","\\rightleftarrows",!0),n(a,d,"↠","\\twoheadrightarrow",!0),n(a,d,"↣","\\rightarrowtail",!0),
n(a,d,"↬","\\looparrowright",!0),n(a,d,"↷","\\curvearrowright",!0),n(a,d,"↻","\\circlearrowright",!0),n(a,d,"↱","\\Rsh",!0),n(a,d,"⇊","\\downdownarrows",
!0),n(a,d,"↾","\\upharpoonright",!0),n(a,d,"⇂","\\downharpoonright",!0),n(a,d,"⇝","\\rightsquigarrow",!0),n(a,d,"⇝","\\leadsto"),n(a,d,"⇛","\\Rrightarr\
ow",!0),n(a,d,"↾","\\restriction"),n(a,m,"‘","`"),n(a,m,"$","\\$"),n(f,m,"$","\\$"),n(f,m,"$","\\textdollar"),n(a,m,"¢","\\cent"),n(f,m,"¢","\\cent"),n(a,
m,"%","\\%"),n(f,m,"%","\\%"),n(a,m,"_","\\_"),n(f,m,"_","\\_"),n(f,m,"_","\\textunderscore"),n(f,m,"␣","\\textvisiblespace",!0),n(a,m,"∠","\\angle",!0),n(a,
m,"∞","\\infty",!0),n(a,m,"′","\\prime"),n(a,m,"″","\\dprime"),n(a,m,"‴","\\trprime"),n(a,m,"⁗","\\qprime"),n(a,m,"△","\\triangle"),n(f,m,"Α","\\Alp\
ha",!0),n(f,m,"Β","\\Beta",!0),n(f,m,"Γ","\\Gamma",!0),n(f,m,"Δ","\\Delta",!0),n(f,m,"Ε","\\Epsilon",!0),n(f,m,"Ζ","\\Zeta",!0),n(f,m,"Η","\\Eta",!0),n(f,
m,"Θ","\\Theta",!0),n(f,m,"Ι","\\Iota",!0),n(f,m,"Κ","\\Kappa",!0),n(f,m,"Λ","\\Lambda",!0),n(f,m,"Μ","\\Mu",!0),n(f,m,"Ν","\\Nu",!0),n(f,m,"Ξ","\\Xi",!0),
n(f,m,"Ο","\\Omicron",!0),n(f,m,"Π","\\Pi",!0),n(f,m,"Ρ","\\Rho",!0),n(f,m,"Σ","\\Sigma",!0),n(f,m,"Τ","\\Tau",!0),n(f,m,"Υ","\\Upsilon",!0),n(f,m,"Φ","\\\
Phi",!0),n(f,m,"Χ","\\Chi",!0),n(f,m,"Ψ","\\Psi",!0),n(f,m,"Ω","\\Omega",!0),n(a,k,"Α","\\Alpha",!0),n(a,k,"Β","\\Beta",!0),n(a,k,"Γ","\\Gamma",!0),n(a,k,
"Δ","\\Delta",!0),n(a,k,"Ε","\\Epsilon",!0),n(a,k,"Ζ","\\Zeta",!0),n(a,k,"Η","\\Eta",!0),n(a,k,"Θ","\\Theta",!0),n(a,k,"Ι","\\Iota",!0),n(a,k,"Κ","\\Kappa",
!0),n(a,k,"Λ","\\Lambda",!0),n(a,k,"Μ","\\Mu",!0),n(a,k,"Ν","\\Nu",!0),n(a,k,"Ξ","\\Xi",!0),n(a,k,"Ο","\\Omicron",!0),n(a,k,"Π","\\Pi",!0),n(a,k,"Ρ","\\Rh\
o",!0),n(a,k,"Σ","\\Sigma",!0),n(a,k,"Τ","\\Tau",!0),n(a,k,"Υ","\\Upsilon",!0),n(a,k,"Φ","\\Phi",!0),n(a,k,"Χ","\\Chi",!0),n(a,k,"Ψ","\\Psi",!0),n(a,k,"Ω",
"\\Omega",!0),n(a,M,"¬","\\neg",!0),n(a,M,"¬","\\lnot"),n(a,m,"⊤","\\top"),n(a,m,"⊥","\\bot"),n(a,m,"∅","\\emptyset"),n(a,m,"⌀","\\varnothing"),n(a,k,
"α","\\alpha",!0),n(a,k,"β","\\beta",!0),n(a,k,"γ","\\gamma",!0),n(a,k,"δ","\\delta",!0),n(a,k,"ϵ","\\epsilon",!0),n(a,k,"ζ","\\zeta",!0),n(a,k,"η","\\eta",
!0),n(a,k,"θ","\\theta",!0),n(a,k,"ι","\\iota",!0),n(a,k,"κ","\\kappa",!0),n(a,k,"λ","\\lambda",!0),n(a,k,"μ","\\mu",!0),n(a,k,"ν","\\nu",!0),n(a,k,"ξ","\
\\xi",!0),n(a,k,"ο","\\omicron",!0),n(a,k,"π","\\pi",!0),n(a,k,"ρ","\\rho",!0),n(a,k,"σ","\\sigma",!0),n(a,k,"τ","\\tau",!0),n(a,k,"υ","\\upsilon",!0),n(a,
k,"ϕ","\\phi",!0),n(a,k,"χ","\\chi",!0),n(a,k,"ψ","\\psi",!0),n(a,k,"ω","\\omega",!0),n(a,k,"ε","\\varepsilon",!0),n(a,k,"ϑ","\\vartheta",!0),n(a,k,"ϖ","\
\\varpi",!0),n(a,k,"ϱ","\\varrho",!0),n(a,k,"ς","\\varsigma",!0),n(a,k,"φ","\\varphi",!0),n(a,k,"Ϙ","\\Coppa",!0),n(a,k,"ϙ","\\coppa",!0),n(a,k,"ϙ","\\varc\
oppa",!0),n(a,k,"Ϟ","\\Koppa",!0),n(a,k,"ϟ","\\koppa",!0),n(a,k,"Ϡ","\\Sampi",!0),n(a,k,"ϡ","\\sampi",!0),n(a,k,"Ϛ","\\Stigma",!0),n(a,k,"ϛ","\\stigma",!0),
n(a,k,"⫫","\\Bot"),n(a,m,"ð","\\eth",!0),n(f,m,"ð","ð"),n(a,m,"Å","\\AA"),n(f,m,"Å","\\AA",!0),n(a,m,"Æ","\\AE",!0),n(f,m,"Æ","\\AE",!0),n(a,m,"Ð","\\D\
H",!0),n(f,m,"Ð","\\DH",!0),n(a,m,"Þ","\\TH",!0),n(f,m,"Þ","\\TH",!0),n(a,m,"ß","\\ss",!0),n(f,m,"ß","\\ss",!0),n(a,m,"å","\\aa"),n(f,m,"å","\\aa",!0),n(
a,m,"æ","\\ae",!0),n(f,m,"æ","\\ae",!0),n(a,m,"ð","\\dh"),n(f,m,"ð","\\dh",!0),n(a,m,"þ","\\th",!0),n(f,m,"þ","\\th",!0),n(a,m,"Đ","\\DJ",!0),n(f,m,"Đ",
"\\DJ",!0),n(a,m,"đ","\\dj",!0),n(f,m,"đ","\\dj",!0),n(a,m,"Ł","\\L",!0),n(f,m,"Ł","\\L",!0),n(a,m,"Ł","\\l",!0),n(f,m,"Ł","\\l",!0),n(a,m,"Ŋ","\\NG",!0),
n(f,m,"Ŋ","\\NG",!0),n(a,m,"ŋ","\\ng",!0),n(f,m,"ŋ","\\ng",!0),n(a,m,"Œ","\\OE",!0),n(f,m,"Œ","\\OE",!0),n(a,m,"œ","\\oe",!0),n(f,m,"œ","\\oe",!0),n(a,b,
"∗","∗",!0),n(a,b,"+","+"),n(a,b,"∗","*"),n(a,b,"⁄","/",!0),n(a,b,"⁄","⁄"),n(a,b,"−","-",!0),n(a,b,"⋅","\\cdot",!0),n(a,b,"∘","\\circ",!0),n(a,
b,"÷","\\div",!0),n(a,b,"±","\\pm",!0),n(a,b,"×","\\times",!0),n(a,b,"∩","\\cap",!0),n(a,b,"∪","\\cup",!0),n(a,b,"∖","\\setminus",!0),n(a,b,"∧","\\lan\
d"),n(a,b,"∨","\\lor"),n(a,b,"∧","\\wedge",!0),n(a,b,"∨","\\vee",!0),n(a,M,"⟦","\\llbracket",!0),n(a,P,"⟧","\\rrbracket",!0),n(a,M,"⟨","\\langle",!0),
n(a,M,"⟪","\\lAngle",!0),n(a,M,"⦉","\\llangle",!0),n(a,M,"|","\\lvert"),n(a,M,"‖","\\lVert",!0),n(a,m,"!","\\oc"),n(a,m,"?","\\wn"),n(a,m,"↓","\\shpos"),
n(a,m,"↕","\\shift"),n(a,m,"↑","\\shneg"),n(a,P,"?","?"),n(a,P,"!","!"),n(a,P,"‼","‼"),n(a,P,"⟩","\\rangle",!0),n(a,P,"⟫","\\rAngle",!0),n(a,P,"⦊",
"\\rrangle",!0),n(a,P,"|","\\rvert"),n(a,P,"‖","\\rVert"),n(a,M,"⦃","\\lBrace",!0),n(a,P,"⦄","\\rBrace",!0),n(a,d,"=","\\equal",!0),n(a,d,":",":"),n(a,d,"\
≈","\\approx",!0),n(a,d,"≅","\\cong",!0),n(a,d,"≥","\\ge"),n(a,d,"≥","\\geq",!0),n(a,d,"←","\\gets"),n(a,d,">","\\gt",!0),n(a,d,"∈","\\in",!0),n(a,d,
"∉","\\notin",!0),n(a,d,"","\\@not"),n(a,d,"⊂","\\subset",!0),n(a,d,"⊃","\\supset",!0),n(a,d,"⊆","\\subseteq",!0),n(a,d,"⊇","\\supseteq",!0),n(a,d,
"⊈","\\nsubseteq",!0),n(a,d,"⊈","\\nsubseteqq"),n(a,d,"⊉","\\nsupseteq",!0),n(a,d,"⊉","\\nsupseteqq"),n(a,d,"⊨","\\models"),n(a,d,"←","\\leftarrow",
!0),n(a,d,"≤","\\le"),n(a,d,"≤","\\leq",!0),n(a,d,"<","\\lt",!0),n(a,d,"→","\\rightarrow",!0),n(a,d,"→","\\to"),n(a,d,"≱","\\ngeq",!0),n(a,d,"≱","\\n\
geqq"),n(a,d,"≱","\\ngeqslant"),n(a,d,"≰","\\nleq",!0),n(a,d,"≰","\\nleqq"),n(a,d,"≰","\\nleqslant"),n(a,d,"⫫","\\Perp",!0),n(a,re," ","\\ "),n(a,re,
" ","\\space"),n(a,re," ","\\nobreakspace"),n(f,re," ","\\ "),n(f,re," "," "),n(f,re," ","\\space"),n(f,re," ","\\nobreakspace"),n(a,re,null,"\\nobreak"),
n(a,re,null,"\\allowbreak"),n(a,ge,",",","),n(f,ge,":",":"),n(a,ge,";",";"),n(a,b,"⊼","\\barwedge"),n(a,b,"⊻","\\veebar"),n(a,b,"⊙","\\odot",!0),n(a,b,"⊕︎",
"\\oplus"),n(a,b,"⊗","\\otimes",!0),n(a,m,"∂","\\partial",!0),n(a,b,"⊘","\\oslash",!0),n(a,b,"⊚","\\circledcirc",!0),n(a,b,"⊡","\\boxdot",!0),n(a,b,"△",
"\\bigtriangleup"),n(a,b,"▽","\\bigtriangledown"),n(a,b,"†","\\dagger"),n(a,b,"⋄","\\diamond"),n(a,b,"◃","\\triangleleft"),n(a,b,"▹","\\triangleright"),
n(a,M,"{","\\{"),n(f,m,"{","\\{"),n(f,m,"{","\\textbraceleft"),n(a,P,"}","\\}"),n(f,m,"}","\\}"),n(f,m,"}","\\textbraceright"),n(a,M,"{","\\lbrace"),n(a,P,"}","\
\\rbrace"),n(a,M,"[","\\lbrack",!0),n(f,m,"[","\\lbrack",!0),n(a,P,"]","\\rbrack",!0),n(f,m,"]","\\rbrack",!0),n(a,M,"(","\\lparen",!0),n(a,P,")","\\rparen",!0),
n(a,M,"⦇","\\llparenthesis",!0),n(a,P,"⦈","\\rrparenthesis",!0),n(f,m,"<","\\textless",!0),n(f,m,">","\\textgreater",!0),n(a,M,"⌊","\\lfloor",!0),n(a,P,"⌋",
"\\rfloor",!0),n(a,M,"⌈","\\lceil",!0),n(a,P,"⌉","\\rceil",!0),n(a,m,"\\","\\backslash"),n(a,m,"|","|"),n(a,m,"|","\\vert"),n(f,m,"|","\\textbar",!0),n(a,m,
"‖","\\|"),n(a,m,"‖","\\Vert"),n(f,m,"‖","\\textbardbl"),n(f,m,"~","\\textasciitilde"),n(f,m,"\\","\\textbackslash"),n(f,m,"^","\\textasciicircum"),n(a,d,
"↑","\\uparrow",!0),n(a,d,"⇑","\\Uparrow",!0),n(a,d,"↓","\\downarrow",!0),n(a,d,"⇓","\\Downarrow",!0),n(a,d,"↕","\\updownarrow",!0),n(a,d,"⇕","\\Updo\
wnarrow",!0),n(a,D,"∐","\\coprod"),n(a,D,"⋁","\\bigvee"),n(a,D,"⋀","\\bigwedge"),n(a,D,"⨄","\\biguplus"),n(a,D,"⨄","\\bigcupplus"),n(a,D,"⨃","\\bigcu\
pdot"),n(a,D,"⨇","\\bigdoublevee"),n(a,D,"⨈","\\bigdoublewedge"),n(a,D,"⋂","\\bigcap"),n(a,D,"⋃","\\bigcup"),n(a,D,"∫","\\int"),n(a,D,"∫","\\intop"),
n(a,D,"∬","\\iint"),n(a,D,"∭","\\iiint"),n(a,D,"∏","\\prod"),n(a,D,"∑","\\sum"),n(a,D,"⨂","\\bigotimes"),n(a,D,"⨁","\\bigoplus"),n(a,D,"⨀","\\bigod\
ot"),n(a,D,"⨉","\\bigtimes"),n(a,D,"∮","\\oint"),n(a,D,"∯","\\oiint"),n(a,D,"∰","\\oiiint"),n(a,D,"∱","\\intclockwise"),n(a,D,"∲","\\varointclockwise"),
n(a,D,"⨌","\\iiiint"),n(a,D,"⨍","\\intbar"),n(a,D,"⨎","\\intBar"),n(a,D,"⨏","\\fint"),n(a,D,"⨒","\\rppolint"),n(a,D,"⨓","\\scpolint"),n(a,D,"⨕","\\\
pointint"),n(a,D,"⨖","\\sqint"),n(a,D,"⨗","\\intlarhk"),n(a,D,"⨘","\\intx"),n(a,D,"⨙","\\intcap"),n(a,D,"⨚","\\intcup"),n(a,D,"⨅","\\bigsqcap"),n(a,
D,"⨆","\\bigsqcup"),n(a,D,"∫","\\smallint"),n(f,ie,"…","\\textellipsis"),n(a,ie,"…","\\mathellipsis"),n(f,ie,"…","\\ldots",!0),n(a,ie,"…","\\ldots",
!0),n(a,ie,"⋰","\\iddots",!0),n(a,ie,"⋯","\\@cdots",!0),n(a,ie,"⋱","\\ddots",!0),n(a,m,"⋮","\\varvdots"),n(f,m,"⋮","\\varvdots"),n(a,O,"´","\\acute"),
n(a,O,"`","\\grave"),n(a,O,"¨","\\ddot"),n(a,O,"…","\\dddot"),n(a,O,"….","\\ddddot"),n(a,O,"~","\\tilde"),n(a,O,"‾","\\bar"),n(a,O,"˘","\\breve"),n(a,O,
"ˇ","\\check"),n(a,O,"ˆ","\\hat"),n(a,O,"→","\\vec"),n(a,O,"˙","\\dot"),n(a,O,"˚","\\mathring"),n(a,k,"ı","\\imath",!0),n(a,k,"ȷ","\\jmath",!0),n(a,m,"ı",
"ı"),n(a,m,"ȷ","ȷ"),n(f,m,"ı","\\i",!0),n(f,m,"ȷ","\\j",!0),n(f,m,"ø","\\o",!0),n(a,k,"ø","\\o",!0),n(f,m,"Ø","\\O",!0),n(a,k,"Ø","\\O",!0),n(f,O,"ˊ",
"\\'"),n(f,O,"ˋ","\\`"),n(f,O,"ˆ","\\^"),n(f,O,"~","\\~"),n(f,O,"ˉ","\\="),n(f,O,"˘","\\u"),n(f,O,"˙","\\."),n(f,O,"¸","\\c"),n(f,O,"˚","\\r"),n(f,O,"ˇ",
"\\v"),n(f,O,"¨",'\\"'),n(f,O,"˝","\\H"),n(a,O,"ˊ","\\'"),n(a,O,"ˋ","\\`"),n(a,O,"ˆ","\\^"),n(a,O,"~","\\~"),n(a,O,"ˉ","\\="),n(a,O,"˘","\\u"),n(a,O,"˙",
"\\."),n(a,O,"¸","\\c"),n(a,O,"˚","\\r"),n(a,O,"ˇ","\\v"),n(a,O,"¨",'\\"'),n(a,O,"˝","\\H");var Vr={"--":!0,"---":!0,"``":!0,"''":!0};n(f,m,"–","--",!0),
n(f,m,"–","\\textendash"),n(f,m,"—","---",!0),n(f,m,"—","\\textemdash"),n(f,m,"‘","`",!0),n(f,m,"‘","\\textquoteleft"),n(f,m,"’","'",!0),n(f,m,"’",
"\\textquoteright"),n(f,m,"“","``",!0),n(f,m,"“","\\textquotedblleft"),n(f,m,"”","''",!0),n(f,m,"”","\\textquotedblright"),n(a,m,"°","\\degree",!0),n(f,
m,"°","\\degree"),n(f,m,"°","\\textdegree",!0),n(a,m,"£","\\pounds"),n(a,m,"£","\\mathsterling",!0),n(f,m,"£","\\pounds"),n(f,m,"£","\\textsterling",!0),n(
a,m,"✠","\\maltese"),n(f,m,"✠","\\maltese"),n(a,m,"€","\\euro",!0),n(f,m,"€","\\euro",!0),n(f,m,"€","\\texteuro"),n(a,m,"©","\\copyright",!0),n(f,m,"\
©","\\textcopyright"),n(a,m,"⌀","\\diameter",!0),n(f,m,"⌀","\\diameter"),n(a,m,"𝛤","\\varGamma"),n(a,m,"𝛥","\\varDelta"),n(a,m,"𝛩","\\varTheta"),n(
a,m,"𝛬","\\varLambda"),n(a,m,"𝛯","\\varXi"),n(a,m,"𝛱","\\varPi"),n(a,m,"𝛴","\\varSigma"),n(a,m,"𝛶","\\varUpsilon"),n(a,m,"𝛷","\\varPhi"),n(a,m,
"𝛹","\\varPsi"),n(a,m,"𝛺","\\varOmega"),n(f,m,"𝛤","\\varGamma"),n(f,m,"𝛥","\\varDelta"),n(f,m,"𝛩","\\varTheta"),n(f,m,"𝛬","\\varLambda"),n(f,m,
"𝛯","\\varXi"),n(f,m,"𝛱","\\varPi"),n(f,m,"𝛴","\\varSigma"),n(f,m,"𝛶","\\varUpsilon"),n(f,m,"𝛷","\\varPhi"),n(f,m,"𝛹","\\varPsi"),n(f,m,"𝛺",
"\\varOmega");var bt='0123456789/@."';for(let e=0;e<bt.length;e++){let t=bt.charAt(e);n(a,m,t,t)}var xt='0123456789!@*()-=+";:?/.,';for(let e=0;e<xt.length;e++){
let t=xt.charAt(e);n(f,m,t,t)}var _e="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";for(let e=0;e<_e.length;e++){let t=_e.charAt(e);n(a,k,t,t),n(f,m,t,t)}
var yt="ÇÐÞçþℂℍℕℙℚℝℤℎℏℊℋℌℐℑℒℓ℘ℛℜℬℰℱℳℭℨ";for(let e=0;e<yt.length;e++){let t=yt.charAt(e);n(a,k,t,t),n(f,m,
t,t)}var q="";for(let e=0;e<_e.length;e++){q=String.fromCharCode(55349,56320+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,56372+e),n(a,k,q,q),n(f,m,q,q),
q=String.fromCharCode(55349,56424+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,56580+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,56736+e),n(a,k,
q,q),n(f,m,q,q),q=String.fromCharCode(55349,56788+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,56840+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,
56944+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,56632+e),n(a,k,q,q),n(f,m,q,q);let t=_e.charAt(e);q=String.fromCharCode(55349,56476+e),n(a,k,t,q),n(f,
m,t,q)}for(let e=0;e<10;e++)q=String.fromCharCode(55349,57294+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,57314+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(
55349,57324+e),n(a,k,q,q),n(f,m,q,q),q=String.fromCharCode(55349,57334+e),n(a,k,q,q),n(f,m,q,q);function Wr(e,t,r){let o=[],s=[],i=[],l=0,c=0;for(;c<e.length;){
for(;e[c]instanceof Me;)e.splice(c,1,...e[c].children);let h=e[c];if(h.attributes&&h.attributes.linebreak&&h.attributes.linebreak==="newline"){i.length>0&&s.push(
new p("mrow",i)),s.push(h),i=[];let g=new p("mtd",s);g.style.textAlign="left",o.push(new p("mtr",[g])),s=[],c+=1;continue}if(i.push(h),h.type&&h.type==="mo"&&h.
children.length===1&&!(h.attributes.form&&h.attributes.form==="prefix")&&!Object.prototype.hasOwnProperty.call(h.attributes,"movablelimits")){let g=h.children[0].
text;if(t==="="&&g==="="){if(l+=1,l>1){i.pop();let A=new p("mrow",i);s.push(A),i=[h]}}else if(t==="tex"){let A=c<e.length-1?e[c+1]:null,y=!0;if(!(A&&A.type==="m\
text"&&A.attributes.linebreak&&A.attributes.linebreak==="nobreak"))for(let x=c+1;x<e.length;x++){let _=e[x];if(_.type&&_.type==="mspace"&&!(_.attributes.linebreak&&
_.attributes.linebreak==="newline"))i.push(_),c+=1,_.attributes&&_.attributes.linebreak&&_.attributes.linebreak==="nobreak"&&(y=!1);else break}if(y){let x=new p(
"mrow",i);s.push(x),i=[]}}}c+=1}if(i.length>0){let h=new p("mrow",i);s.push(h)}if(o.length>0){let h=new p("mtd",s);h.style.textAlign="left";let g=new p("mtr",[h]);
o.push(g);let A=new p("mtable",o);return r||(A.setAttribute("columnalign","left"),A.setAttribute("rowspacing","0em")),A}return ae(s)}var H=function(e,t,r){return F[t][e]&&
F[t][e].replace&&e.charCodeAt(0)!==55349&&!(Object.prototype.hasOwnProperty.call(Vr,e)&&r&&(r.fontFamily&&r.fontFamily.slice(4,6)==="tt"||r.font&&r.font.slice(4,
6)==="tt"))&&(e=F[t][e].replace),new j(e)},wt=(e,t)=>{if(e.children.length===0||e.children[e.children.length-1].type!=="mtext"){let r=new p("mtext",[new j(t.children[0].
text)]);e.children.push(r)}else e.children[e.children.length-1].children[0].text+=t.children[0].text},Te=e=>{if(e.type!=="mrow"&&e.type!=="mstyle"||e.children.length===
0)return e;let t=new p("mrow");for(let r=0;r<e.children.length;r++){let o=e.children[r];if(o.type==="mtext"&&Object.keys(o.attributes).length===0)wt(t,o);else if(o.
type==="mrow"){let s=!0;for(let i=0;i<o.children.length;i++)if(o.children[i].type!=="mtext"||Object.keys(o.attributes).length!==0){s=!1;break}if(s)for(let i=0;i<
o.children.length;i++){let l=o.children[i];wt(t,l)}else t.children.push(o)}else t.children.push(o)}for(let r=0;r<t.children.length;r++)if(t.children[r].type==="\
mtext"){let o=t.children[r];o.children[0].text.charAt(0)===" "&&(o.children[0].text=" "+o.children[0].text.slice(1));let s=o.children[0].text.length;s>0&&o.children[0].
text.charAt(s-1)===" "&&(o.children[0].text=o.children[0].text.slice(0,-1)+" ");for(let[i,l]of Object.entries(e.attributes))o.attributes[i]=l}return t.children.
length===1&&t.children[0].type==="mtext"?t.children[0]:t},be=function(e,t=!1){if(e.length===1&&!(e[0]instanceof Me))return e[0];if(!t){e[0]instanceof p&&e[0].type===
"mo"&&!e[0].attributes.fence&&(e[0].attributes.lspace="0em",e[0].attributes.rspace="0em");let r=e.length-1;e[r]instanceof p&&e[r].type==="mo"&&!e[r].attributes.
fence&&(e[r].attributes.lspace="0em",e[r].attributes.rspace="0em")}return new p("mrow",e)};function je(e){if(!e)return!1;if(e.type==="mi"&&e.children.length===1){
let t=e.children[0];return t instanceof j&&t.text==="."}else if(e.type==="mtext"&&e.children.length===1){let t=e.children[0];return t instanceof j&&t.text===" "}else if(e.
type==="mo"&&e.children.length===1&&e.getAttribute("separator")==="true"&&e.getAttribute("lspace")==="0em"&&e.getAttribute("rspace")==="0em"){let t=e.children[0];
return t instanceof j&&t.text===","}else return!1}var Hr=(e,t)=>{let r=e[t],o=e[t+1];return r.type==="atom"&&r.text===","&&r.loc&&o.loc&&r.loc.end===o.loc.start},
Ce=e=>e.type==="atom"&&e.family==="rel"||e.type==="mclass"&&e.mclass==="mrel",U=function(e,t,r=!1){if(!r&&e.length===1){let l=E(e[0],t);return l instanceof p&&l.
type==="mo"&&(l.setAttribute("lspace","0em"),l.setAttribute("rspace","0em")),[l]}let o=[],s=[],i;for(let l=0;l<e.length;l++)s.push(E(e[l],t));for(let l=0;l<s.length;l++){
let c=s[l];if(l<e.length-1&&Ce(e[l])&&Ce(e[l+1])&&c.setAttribute("rspace","0em"),l>0&&Ce(e[l])&&Ce(e[l-1])&&c.setAttribute("lspace","0em"),c.type==="mn"&&i&&i.type===
"mn"){i.children.push(...c.children);continue}else if(je(c)&&i&&i.type==="mn"){i.children.push(...c.children);continue}else if(i&&i.type==="mn"&&l<s.length-1&&s[l+
1].type==="mn"&&Hr(e,l)){i.children.push(...c.children);continue}else if(c.type==="mn"&&je(i))c.children=[...i.children,...c.children],o.pop();else if((c.type===
"msup"||c.type==="msub")&&c.children.length>=1&&i&&(i.type==="mn"||je(i))){let h=c.children[0];h instanceof p&&h.type==="mn"&&i&&(h.children=[...i.children,...h.
children],o.pop())}o.push(c),i=c}return o},ne=function(e,t,r=!1){return be(U(e,t,r),r)},E=function(e,t){if(!e)return new p("mrow");if(qe[e.type])return qe[e.type](
e,t);throw new v("Got group of unknown type: '"+e.type+"'")},vt=e=>new p("mtd",[],[],{padding:"0",width:"50%"}),Zr=["mrow","mtd","mtable","mtr"],Ue=e=>{for(let t of e.
children)if(t.type&&Zr.includes(t.type)){if(t.classes&&t.classes[0]==="tml-label")return t.label;{let r=Ue(t);if(r)return r}}else if(!t.type){let r=Ue(t);if(r)return r}},
Xr=(e,t,r,o)=>{t=ne(t[0].body,r),t=Te(t),t.classes.push("tml-tag");let s=Ue(e);e=new p("mtd",[e]);let i=[vt(),e,vt()];i[o?0:2].children.push(t);let l=new p("mtr",
i,["tml-tageqn"]);s&&l.setAttribute("id",s);let c=new p("mtable",[l]);return c.style.width="100%",c.setAttribute("displaystyle","true"),c};function Yr(e,t,r,o){
let s=null;e.length===1&&e[0].type==="tag"&&(s=e[0].tag,e=e[0].body);let i=U(e,r);if(i.length===1&&i[0]instanceof ft)return i[0];let l=o.displayMode||o.annotate?
"none":o.wrap,c=i.length===0?null:i[0],h=i.length===1&&s===null&&c instanceof p?i[0]:Wr(i,l,o.displayMode);if(s&&(h=Xr(h,s,r,o.leqno)),o.annotate){let A=new p("\
annotation",[new j(t)]);A.setAttribute("encoding","application/x-tex"),h=new p("semantics",[h,A])}let g=new p("math",[h]);return o.xml&&g.setAttribute("xmlns","\
http://www.w3.org/1998/Math/MathML"),o.displayMode&&(g.setAttribute("display","block"),g.style.display="block math",g.classes=["tml-display"]),g}var Kr="DHKLUce\
gorsuvxyzΠΥΨαδηιμνοτυχϵ",Jr="BCEGIMNOPQRSTXZlpqtwΓΘΞΣΦΩβεζθξρςφψϑϕϱ",Qr="AFJdfΔΛ",At=(e,t)=>{let r=e.isStretchy?gt(e):new p("m\
o",[H(e.label,e.mode)]);e.isStretchy||r.setAttribute("stretchy","false"),e.label!=="\\vec"&&(r.style.mathDepth="0");let o=e.label==="\\c"?"munder":"mover",s=tn.
has(e.label);if(o==="mover"&&e.mode==="math"&&!e.isStretchy&&e.base.text&&e.base.text.length===1){let l=e.base.text,c=e.label==="\\vec",h=c==="\\vec"?"-vec":"";
c&&r.classes.push("tml-vec");let g=c?"-vec":s?"-acc":"";Kr.indexOf(l)>-1?(r.classes.push(`chr-sml${h}`),r.classes.push(`wbk-sml${g}`)):Jr.indexOf(l)>-1?(r.classes.
push(`chr-med${h}`),r.classes.push(`wbk-med${g}`)):Qr.indexOf(l)>-1?(r.classes.push(`chr-lrg${h}`),r.classes.push(`wbk-lrg${g}`)):c?r.classes.push("wbk-vec"):s&&
r.classes.push("wbk-acc")}else s&&r.classes.push("wbk-acc");return new p(o,[E(e.base,t),r])},en=new Set(["\\acute","\\check","\\grave","\\ddot","\\dddot","\\dddd\
ot","\\tilde","\\bar","\\breve","\\check","\\hat","\\vec","\\dot","\\mathring"]),tn=new Set(["\\acute","\\bar","\\breve","\\check","\\dot","\\ddot","\\grave","\\\
hat","\\mathring","\\`","\\'","\\^","\\=","\\u","\\.",'\\"',"\\r","\\H","\\v"]),kt={"\\`":"̀","\\'":"́","\\^":"̂","\\~":"̃","\\=":"̄","\\u":"̆","\\.":"̇",
'\\"':"̈","\\r":"̊","\\H":"̋","\\v":"̌","\\c":"̧"};S({type:"accent",names:["\\acute","\\grave","\\ddot","\\dddot","\\ddddot","\\tilde","\\bar","\\breve","\\\
check","\\hat","\\vec","\\dot","\\mathring","\\overparen","\\widecheck","\\widehat","\\wideparen","\\widetilde","\\overrightarrow","\\overleftarrow","\\Overright\
arrow","\\overleftrightarrow","\\overgroup","\\overleftharpoon","\\overrightharpoon"],props:{numArgs:1},handler:(e,t)=>{let r=fe(t[0]),o=!en.has(e.funcName);return{
type:"accent",mode:e.parser.mode,label:e.funcName,isStretchy:o,base:r}},mathmlBuilder:At}),S({type:"accent",names:["\\'","\\`","\\^","\\~","\\=","\\c","\\u","\\.",
'\\"',"\\r","\\H","\\v"],props:{numArgs:1,allowedInText:!0,allowedInMath:!0,argTypes:["primitive"]},handler:(e,t)=>{let r=fe(t[0]),o=e.parser.mode;return o==="m\
ath"&&e.parser.settings.strict&&console.log(`Temml parse error: Command ${e.funcName} is invalid in math mode.`),o==="text"&&r.text&&r.text.length===1&&e.funcName in
kt&&mt.indexOf(r.text)>-1?{type:"textord",mode:"text",text:r.text+kt[e.funcName]}:e.funcName==="\\c"&&o==="text"&&r.text&&r.text.length===1?{type:"textord",mode:"\
text",text:r.text+"̧"}:{type:"accent",mode:o,label:e.funcName,isStretchy:!1,base:r}},mathmlBuilder:At}),S({type:"accentUnder",names:["\\underleftarrow","\\under\
rightarrow","\\underleftrightarrow","\\undergroup","\\underparen","\\utilde"],props:{numArgs:1},handler:({parser:e,funcName:t},r)=>{let o=r[0];return{type:"acce\
ntUnder",mode:e.mode,label:t,base:o}},mathmlBuilder:(e,t)=>{let r=gt(e);return r.style["math-depth"]=0,new p("munder",[E(e.base,t),r])}});var St={pt:800/803,pc:12*
800/803,dd:1238/1157*800/803,cc:14856/1157*800/803,nd:685/642*800/803,nc:1370/107*800/803,sp:1/65536*800/803,mm:25.4/72,cm:2.54/72,in:1/72,px:96/72},rn=["em","e\
x","mu","pt","mm","cm","in","px","bp","pc","dd","cc","nd","nc","sp"],qt=function(e){return typeof e!="string"&&(e=e.unit),rn.indexOf(e)>-1},_t=e=>{let t=Math.max(
e-1,0);return[1,.7,.5][t]},Q=function(e,t){let r=e.number;if(t.maxSize[0]<0&&r>0)return{number:0,unit:"em"};let o=e.unit;switch(o){case"mm":case"cm":case"in":case"\
px":return r*St[o]>t.maxSize[1]?{number:t.maxSize[1],unit:"pt"}:{number:r,unit:o};case"em":case"ex":return o==="ex"&&(r*=.431),r=Math.min(r/_t(t.level),t.maxSize[0]),
{number:Ne(r),unit:"em"};case"bp":return r>t.maxSize[1]&&(r=t.maxSize[1]),{number:r,unit:"pt"};case"pt":case"pc":case"dd":case"cc":case"nd":case"nc":case"sp":return r=
Math.min(r*St[o],t.maxSize[1]),{number:Ne(r),unit:"pt"};case"mu":return r=Math.min(r/18,t.maxSize[0]),{number:Ne(r),unit:"em"};default:throw new v("Invalid unit\
: '"+o+"'")}},G=e=>{let t=new p("mspace");return t.setAttribute("width",e+"em"),t},De=(e,t=.3,r=0,o=!1)=>{if(e==null&&r===0)return G(t);let s=e?[e]:[];if(t!==0&&
s.unshift(G(t)),r>0&&s.push(G(r)),o){let i=new p("mpadded",s);return i.setAttribute("height","0.1px"),i}else return new p("mrow",s)},Ve=(e,t)=>Number(e)/_t(t),We=(e,t,r,o)=>{
let s=Re(e),i=e.slice(1,3)==="eq",l=e.charAt(1)==="x"?"1.75":e.slice(2,4)==="cd"?"3.0":i?"1.0":"2.0";s.setAttribute("lspace","0"),s.setAttribute("rspace",i?"0.5\
em":"0");let c=o.withLevel(o.level<2?2:3),h=Ve(l,c.level),g=Ve(l,3),A=De(null,h.toFixed(4),0),y=De(null,g.toFixed(4),0),x=Ve(i?0:.3,c.level).toFixed(4),_,$,L=t&&
t.body&&(t.body.body||t.body.length>0);if(L){let B=E(t,c);B=De(B,x,x,e==="\\\\cdrightarrow"||e==="\\\\cdleftarrow"),_=new p("mover",[B,y])}let N=r&&r.body&&(r.body.
body||r.body.length>0);if(N){let B=E(r,c);B=De(B,x,x),$=new p("munder",[B,y])}let T;return!L&&!N?T=new p("mover",[s,A]):L&&N?T=new p("munderover",[s,$,_]):L?T=new p(
"mover",[s,_]):T=new p("munder",[s,$]),l==="3.0"&&(T.style.height="1em"),T.setAttribute("accent","false"),T};S({type:"xArrow",names:["\\xleftarrow","\\xrightarro\
w","\\xLeftarrow","\\xRightarrow","\\xleftrightarrow","\\xLeftrightarrow","\\xhookleftarrow","\\xhookrightarrow","\\xmapsto","\\xrightharpoondown","\\xrightharpo\
onup","\\xleftharpoondown","\\xleftharpoonup","\\xlongequal","\\xtwoheadrightarrow","\\xtwoheadleftarrow","\\xtofrom","\\xleftrightharpoons","\\xrightleftharpoon\
s","\\yields","\\yieldsLeft","\\mesomerism","\\longrightharpoonup","\\longleftharpoondown","\\yieldsLeftRight","\\chemequilibrium","\\\\cdrightarrow","\\\\cdlefta\
rrow","\\\\cdlongequal"],props:{numArgs:1,numOptionalArgs:1},handler({parser:e,funcName:t},r,o){return{type:"xArrow",mode:e.mode,name:t,body:r[0],below:o[0]}},mathmlBuilder(e,t){
let o=[We(e.name,e.body,e.below,t)];return o.unshift(G(.2778)),o.push(G(.2778)),new p("mrow",o)}});var Tt={"\\equilibriumRight":["\\longrightharpoonup","\\eqleft\
harpoondown"],"\\equilibriumLeft":["\\eqrightharpoonup","\\longleftharpoondown"]};S({type:"stackedArrow",names:["\\equilibriumRight","\\equilibriumLeft"],props:{
numArgs:1,numOptionalArgs:1},handler({parser:e,funcName:t},r,o){let s=r[0]?{type:"hphantom",mode:e.mode,body:r[0]}:null,i=o[0]?{type:"hphantom",mode:e.mode,body:o[0]}:
null;return{type:"stackedArrow",mode:e.mode,name:t,body:r[0],upperArrowBelow:i,lowerArrowBody:s,below:o[0]}},mathmlBuilder(e,t){let r=Tt[e.name][0],o=Tt[e.name][1],
s=We(r,e.body,e.upperArrowBelow,t),i=We(o,e.lowerArrowBody,e.below,t),l,c=new p("mpadded",[s]);if(c.setAttribute("voffset","0.3em"),c.setAttribute("height","+0.\
3em"),c.setAttribute("depth","-0.3em"),e.name==="\\equilibriumLeft"){let h=new p("mpadded",[i]);h.setAttribute("width","0.5em"),l=new p("mpadded",[G(.2778),h,c,
G(.2778)])}else c.setAttribute("width",e.name==="\\equilibriumRight"?"0.5em":"0"),l=new p("mpadded",[G(.2778),c,i,G(.2778)]);return l.setAttribute("voffset","-0\
.18em"),l.setAttribute("height","-0.18em"),l.setAttribute("depth","+0.18em"),l}});var Ct={};function Z({type:e,names:t,props:r,handler:o,mathmlBuilder:s}){let i={
type:e,numArgs:r.numArgs||0,allowedInText:!1,numOptionalArgs:0,handler:o};for(let l=0;l<t.length;++l)Ct[t[l]]=i;s&&(qe[e]=s)}function C(e,t){if(!e||e.type!==t)throw new Error(
`Expected node of type ${t}, but got `+(e?`node of type ${e.type}`:String(e)));return e}function He(e){let t=Be(e);if(!t)throw new Error("Expected node of symbo\
l group type, but got "+(e?`node of type ${e.type}`:String(e)));return t}function Be(e){return e&&(e.type==="atom"||e.type==="delimiter"||Object.prototype.hasOwnProperty.
call(Ur,e.type))?e:null}var nn={">":"\\\\cdrightarrow","<":"\\\\cdleftarrow","=":"\\\\cdlongequal",A:"\\uparrow",V:"\\downarrow","|":"\\Vert",".":"no arrow"},Dt=()=>({
type:"styling",body:[],mode:"math",scriptLevel:"display"}),Bt=e=>e.type==="textord"&&e.text==="@",on=(e,t)=>(e.type==="mathord"||e.type==="atom")&&e.text===t;function an(e,t,r){
let o=nn[e];switch(o){case"\\\\cdrightarrow":case"\\\\cdleftarrow":return r.callFunction(o,[t[0]],[t[1]]);case"\\uparrow":case"\\downarrow":{let s=r.callFunction(
"\\\\cdleft",[t[0]],[]),i={type:"atom",text:o,mode:"math",family:"rel"},l=r.callFunction("\\Big",[i],[]),c=r.callFunction("\\\\cdright",[t[1]],[]),h={type:"ordg\
roup",mode:"math",body:[s,l,c],semisimple:!0};return r.callFunction("\\\\cdparent",[h],[])}case"\\\\cdlongequal":return r.callFunction("\\\\cdlongequal",[],[]);case"\
\\Vert":{let s={type:"textord",text:"\\Vert",mode:"math"};return r.callFunction("\\Big",[s],[])}default:return{type:"textord",text:" ",mode:"math"}}}function sn(e){
let t=[];for(e.gullet.beginGroup(),e.gullet.macros.set("\\cr","\\\\\\relax"),e.gullet.beginGroup();;){t.push(e.parseExpression(!1,"\\\\")),e.gullet.endGroup(),e.
gullet.beginGroup();let s=e.fetch().text;if(s==="&"||s==="\\\\")e.consume();else if(s==="\\end"){t[t.length-1].length===0&&t.pop();break}else throw new v("Expec\
ted \\\\ or \\cr or \\end",e.nextToken)}let r=[],o=[r];for(let s=0;s<t.length;s++){let i=t[s],l=Dt();for(let c=0;c<i.length;c++)if(!Bt(i[c]))l.body.push(i[c]);else{
r.push(l),c+=1;let h=He(i[c]).text,g=new Array(2);if(g[0]={type:"ordgroup",mode:"math",body:[]},g[1]={type:"ordgroup",mode:"math",body:[]},!("=|.".indexOf(h)>-1))
if("<>AV".indexOf(h)>-1)for(let y=0;y<2;y++){let x=!0;for(let _=c+1;_<i.length;_++){if(on(i[_],h)){x=!1,c=_;break}if(Bt(i[_]))throw new v("Missing a "+h+" chara\
cter to complete a CD arrow.",i[_]);g[y].body.push(i[_])}if(x)throw new v("Missing a "+h+" character to complete a CD arrow.",i[c])}else throw new v('Expected o\
ne of "<>AV=|." after @.');let A=an(h,g,e);r.push(A),l=Dt()}s%2===0?r.push(l):r.shift(),r=[],o.push(r)}return o.pop(),e.gullet.endGroup(),e.gullet.endGroup(),{type:"\
array",mode:"math",body:o,tags:null,labels:new Array(o.length+1).fill(""),envClasses:["jot","cd"],cols:[],hLinesBeforeRow:new Array(o.length+1).fill([])}}S({type:"\
cdlabel",names:["\\\\cdleft","\\\\cdright"],props:{numArgs:1},handler({parser:e,funcName:t},r){return{type:"cdlabel",mode:e.mode,side:t.slice(4),label:r[0]}},mathmlBuilder(e,t){
if(e.label.body.length===0)return new p("mrow",t);let r=E(e.label,t);e.side==="left"&&r.classes.push("tml-shift-left");let o=new p("mtd",[r]);o.style.padding="0";
let s=new p("mtr",[o]),i=new p("mtable",[s]),l=new p("mpadded",[i]);return l.setAttribute("width","0.1px"),l.setAttribute("displaystyle","false"),l.setAttribute(
"scriptlevel","1"),l}}),S({type:"cdlabelparent",names:["\\\\cdparent"],props:{numArgs:1},handler({parser:e},t){return{type:"cdlabelparent",mode:e.mode,fragment:t[0]}},
mathmlBuilder(e,t){return new p("mrow",[E(e.fragment,t)])}});var Ot=e=>({type:"ordgroup",mode:"math",body:e,semisimple:!0}),Ze=(e,t)=>({type:t,mode:"math",body:Ot(
e)}),ln=(e,t)=>{let r=e.body;r[0].shift();let o=new Array(r.length-1).fill().map(()=>[]);for(let y=1;y<r.length;y++){o[y-1].push(r[y].shift());let x=[];for(let _=0;_<
r[y].length;_++)x.push(r[y][_]);o[y-1].push(Ze(x,"vphantom"))}let s=new Array(r.length).fill().map(()=>[]);for(let y=0;y<r[0].length;y++)s[0].push(r[0][y]);for(let y=1;y<
r.length;y++)for(let x=0;x<r[0].length;x++)s[y].push(Ze(r[y][x].body,"hphantom"));for(let y=0;y<r[0].length;y++)r[0][y]=Ze(r[0][y].body,"hphantom");let i={type:"\
array",mode:"math",body:o,cols:[{type:"align",align:"c"}],rowGaps:new Array(o.length-1).fill(null),hLinesBeforeRow:new Array(o.length+1).fill().map(()=>[]),envClasses:[],
scriptLevel:"text",arraystretch:1,labels:new Array(o.length).fill(""),arraycolsep:{number:.04,unit:"em"}},c={type:"styling",mode:"math",scriptLevel:"text",body:[
{type:"array",mode:"math",body:s,cols:new Array(s.length).fill({type:"align",align:"c"}),rowGaps:new Array(s.length-1).fill(null),hLinesBeforeRow:new Array(s.length+
1).fill().map(()=>[]),envClasses:[],scriptLevel:"text",arraystretch:1,labels:new Array(s.length).fill(""),arraycolsep:null}]},A={type:"supsub",mode:"math",stack:!0,
base:{type:"op",mode:"math",limits:!0,alwaysHandleSupSub:!0,parentIsSupSub:!0,symbol:!1,suppressBaseShift:!0,body:[{type:"leftright",mode:"math",body:[e],left:t?
t[0]:"(",right:t?t[1]:")",rightColor:void 0}]},sup:c,sub:null};return Ot([i,A])},V=class _V{constructor(t,r,o){this.lexer=t,this.start=r,this.end=o}static range(t,r){
return r?!t||!t.loc||!r.loc||t.loc.lexer!==r.loc.lexer?null:new _V(t.loc.lexer,t.loc.start,r.loc.end):t&&t.loc}},Y=class _Y{constructor(t,r){this.text=t,this.loc=
r}range(t,r){return new _Y(r,V.range(this,t))}},I={DISPLAY:0,TEXT:1,SCRIPT:2,SCRIPTSCRIPT:3},$t=Object.create(null);function u(e,t){$t[e]=t}var un=$t;u("\\noexpa\
nd",function(e){let t=e.popToken();return e.isExpandable(t.text)&&(t.noexpand=!0,t.treatAsRelax=!0),{tokens:[t],numArgs:0}}),u("\\expandafter",function(e){let t=e.
popToken();return e.expandOnce(!0),{tokens:[t],numArgs:0}}),u("\\@firstoftwo",function(e){return{tokens:e.consumeArgs(2)[0],numArgs:0}}),u("\\@secondoftwo",function(e){
return{tokens:e.consumeArgs(2)[1],numArgs:0}}),u("\\@ifnextchar",function(e){let t=e.consumeArgs(3);e.consumeSpaces();let r=e.future();return t[0].length===1&&t[0][0].
text===r.text?{tokens:t[1],numArgs:0}:{tokens:t[2],numArgs:0}}),u("\\@ifstar","\\@ifnextchar *{\\@firstoftwo{#1}}"),u("\\TextOrMath",function(e){let t=e.consumeArgs(
2);return e.mode==="text"?{tokens:t[0],numArgs:0}:{tokens:t[1],numArgs:0}});var Xe=e=>{let t="";for(let r=e.length-1;r>-1;r--)t+=e[r].text;return t},Ye={0:0,1:1,
2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9,a:10,A:10,b:11,B:11,c:12,C:12,d:13,D:13,e:14,E:14,f:15,F:15},Et=e=>{let t=e.future().text;return t==="EOF"?[null,""]:[Ye[t.charAt(
0)],t]},Lt=(e,t,r)=>{for(let o=1;o<t.length;o++){let s=Ye[t.charAt(o)];e*=r,e+=s}return e};u("\\char",function(e){let t=e.popToken(),r,o="";if(t.text==="'")r=8,
t=e.popToken();else if(t.text==='"')r=16,t=e.popToken();else if(t.text==="`")if(t=e.popToken(),t.text[0]==="\\")o=t.text.charCodeAt(1);else{if(t.text==="EOF")throw new v(
"\\char` missing argument");o=t.text.charCodeAt(0)}else r=10;if(r){let s=t.text;if(o=Ye[s.charAt(0)],o==null||o>=r)throw new v(`Invalid base-${r} digit ${t.text}`);
o=Lt(o,s,r);let i;for([i,s]=Et(e);i!=null&&i<r;)o*=r,o+=i,o=Lt(o,s,r),e.popToken(),[i,s]=Et(e)}return`\\@char{${o}}`});function Ke(e){let t=e.consumeArgs(1)[0],
r="",o=t[t.length-1].loc.start;for(let s=t.length-1;s>=0;s--){let i=t[s].loc.start;i>o&&(r+=" ",o=i),r+=t[s].text,o+=t[s].text.length}return r}u("\\surd","\\sqrt\
{\\vphantom{|}}"),u("⊕","\\oplus"),u("\\long",""),u("\\bgroup","{"),u("\\egroup","}"),u("~","\\nobreakspace"),u("\\lq","`"),u("\\rq","'"),u("\\aa","\\r a"),u(
"\\Bbbk","\\Bbb{k}"),u("\\mathstrut","\\vphantom{(}"),u("\\underbar","\\underline{\\text{#1}}"),u("\\vdots","{\\varvdots\\rule{0pt}{15pt}}"),u("⋮","\\vdots"),
u("\\arraystretch","1"),u("\\arraycolsep","6pt"),u("\\substack","\\begin{subarray}{c}#1\\end{subarray}"),u("\\iff","\\DOTSB\\;\\Longleftrightarrow\\;"),u("\\impl\
ies","\\DOTSB\\;\\Longrightarrow\\;"),u("\\impliedby","\\DOTSB\\;\\Longleftarrow\\;");var zt={",":"\\dotsc","\\not":"\\dotsb","+":"\\dotsb","=":"\\dotsb","<":"\\\
dotsb",">":"\\dotsb","-":"\\dotsb","*":"\\dotsb",":":"\\dotsb","\\DOTSB":"\\dotsb","\\coprod":"\\dotsb","\\bigvee":"\\dotsb","\\bigwedge":"\\dotsb","\\biguplus":"\
\\dotsb","\\bigcap":"\\dotsb","\\bigcup":"\\dotsb","\\prod":"\\dotsb","\\sum":"\\dotsb","\\bigotimes":"\\dotsb","\\bigoplus":"\\dotsb","\\bigodot":"\\dotsb","\\b\
igsqcap":"\\dotsb","\\bigsqcup":"\\dotsb","\\bigtimes":"\\dotsb","\\And":"\\dotsb","\\longrightarrow":"\\dotsb","\\Longrightarrow":"\\dotsb","\\longleftarrow":"\
\\dotsb","\\Longleftarrow":"\\dotsb","\\longleftrightarrow":"\\dotsb","\\Longleftrightarrow":"\\dotsb","\\mapsto":"\\dotsb","\\longmapsto":"\\dotsb","\\hookright\
arrow":"\\dotsb","\\doteq":"\\dotsb","\\mathbin":"\\dotsb","\\mathrel":"\\dotsb","\\relbar":"\\dotsb","\\Relbar":"\\dotsb","\\xrightarrow":"\\dotsb","\\xleftarro\
w":"\\dotsb","\\DOTSI":"\\dotsi","\\int":"\\dotsi","\\oint":"\\dotsi","\\iint":"\\dotsi","\\iiint":"\\dotsi","\\iiiint":"\\dotsi","\\DOTSX":"\\dotsx"};u("\\dots",
function(e){let t="\\dotso",r=e.expandAfterFuture().text;return r in zt?t=zt[r]:(r.slice(0,4)==="\\not"||r in F.math&&["bin","rel"].includes(F.math[r].group))&&
(t="\\dotsb"),t});var Je={")":!0,"]":!0,"\\rbrack":!0,"\\}":!0,"\\rbrace":!0,"\\rangle":!0,"\\rceil":!0,"\\rfloor":!0,"\\rgroup":!0,"\\rmoustache":!0,"\\right":!0,
"\\bigr":!0,"\\biggr":!0,"\\Bigr":!0,"\\Biggr":!0,$:!0,";":!0,".":!0,",":!0};u("\\dotso",function(e){return e.future().text in Je?"\\ldots\\,":"\\ldots"}),u("\\d\
otsc",function(e){let t=e.future().text;return t in Je&&t!==","?"\\ldots\\,":"\\ldots"}),u("\\cdots",function(e){return e.future().text in Je?"\\@cdots\\,":"\\@c\
dots"}),u("\\dotsb","\\cdots"),u("\\dotsm","\\cdots"),u("\\dotsi","\\!\\cdots"),u("\\idotsint","\\int\\!\\cdots\\!\\int"),u("\\dotsx","\\ldots\\,"),u("\\DOTSI",
"\\relax"),u("\\DOTSB","\\relax"),u("\\DOTSX","\\relax"),u("\\tmspace","\\TextOrMath{\\kern#1#3}{\\mskip#1#2}\\relax"),u("\\,","{\\tmspace+{3mu}{.1667em}}"),u("\
\\thinspace","\\,"),u("\\>","\\mskip{4mu}"),u("\\:","{\\tmspace+{4mu}{.2222em}}"),u("\\medspace","\\:"),u("\\;","{\\tmspace+{5mu}{.2777em}}"),u("\\thickspace","\
\\;"),u("\\!","{\\tmspace-{3mu}{.1667em}}"),u("\\negthinspace","\\!"),u("\\negmedspace","{\\tmspace-{4mu}{.2222em}}"),u("\\negthickspace","{\\tmspace-{5mu}{.277e\
m}}"),u("\\enspace","\\kern.5em "),u("\\enskip","\\hskip.5em\\relax"),u("\\quad","\\hskip1em\\relax"),u("\\qquad","\\hskip2em\\relax"),u("\\AA","\\TextOrMath{\\An\
gstrom}{\\mathring{A}}\\relax"),u("\\tag","\\@ifstar\\tag@literal\\tag@paren"),u("\\tag@paren","\\tag@literal{({#1})}"),u("\\tag@literal",e=>{if(e.macros.get("\\\
df@tag"))throw new v("Multiple \\tag");return"\\gdef\\df@tag{\\text{#1}}"}),u("\\notag","\\nonumber"),u("\\nonumber","\\gdef\\@eqnsw{0}"),u("\\bmod","\\mathbin{\\\
text{mod}}"),u("\\pod","\\allowbreak\\mathchoice{\\mkern18mu}{\\mkern8mu}{\\mkern8mu}{\\mkern8mu}(#1)"),u("\\pmod","\\pod{{\\rm mod}\\mkern6mu#1}"),u("\\mod","\\\
allowbreak\\mathchoice{\\mkern18mu}{\\mkern12mu}{\\mkern12mu}{\\mkern12mu}{\\rm mod}\\,\\,#1"),u("\\newline","\\\\\\relax"),u("\\TeX","\\textrm{T}\\kern-.1667em\\r\
aisebox{-.5ex}{E}\\kern-.125em\\textrm{X}"),u("\\LaTeX","\\textrm{L}\\kern-.35em\\raisebox{0.2em}{\\scriptstyle A}\\kern-.15em\\TeX"),u("\\Temml","\\textrm{T}\\ke\
rn-0.2em\\lower{0.2em}{\\textrm{E}}\\kern-0.08em{\\textrm{M}\\kern-0.08em\\raise{0.2em}\\textrm{M}\\kern-0.08em\\textrm{L}}"),u("\\hspace","\\@ifstar\\@hspacer\\@h\
space"),u("\\@hspace","\\hskip #1\\relax"),u("\\@hspacer","\\rule{0pt}{0pt}\\hskip #1\\relax"),u("\\colon",'\\mathpunct{\\char"3a}'),u("\\prescript","\\pres@crip\
t{_{#1}^{#2}}{}{#3}"),u("\\ordinarycolon",'\\char"3a'),u("\\vcentcolon","\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}}"),u("\\coloneq",'\\mathrel{\\raisebox{0.0\
35em}{\\ordinarycolon}\\char"2212}'),u("\\Coloneq",'\\mathrel{\\char"2237\\char"2212}'),u("\\Eqqcolon",'\\mathrel{\\char"3d\\char"2237}'),u("\\Eqcolon",'\\mathre\
l{\\char"2212\\char"2237}'),u("\\colonapprox",'\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char"2248}'),u("\\Colonapprox",'\\mathrel{\\char"2237\\char"2248}'),
u("\\colonsim",'\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char"223c}'),u("\\Colonsim",'\\mathrel{\\raisebox{0.035em}{\\ordinarycolon}\\char"223c}'),u("\\ra\
tio","\\vcentcolon"),u("\\coloncolon","\\dblcolon"),u("\\colonequals","\\coloneqq"),u("\\coloncolonequals","\\Coloneqq"),u("\\equalscolon","\\eqqcolon"),u("\\equ\
alscoloncolon","\\Eqqcolon"),u("\\colonminus","\\coloneq"),u("\\coloncolonminus","\\Coloneq"),u("\\minuscolon","\\eqcolon"),u("\\minuscoloncolon","\\Eqcolon"),u(
"\\coloncolonapprox","\\Colonapprox"),u("\\coloncolonsim","\\Colonsim"),u("\\notni","\\mathrel{\\char`∌}"),u("\\limsup","\\DOTSB\\operatorname*{lim\\,sup}"),u(
"\\liminf","\\DOTSB\\operatorname*{lim\\,inf}"),u("\\injlim","\\DOTSB\\operatorname*{inj\\,lim}"),u("\\projlim","\\DOTSB\\operatorname*{proj\\,lim}"),u("\\varlim\
sup","\\DOTSB\\operatorname*{\\overline{\\text{lim}}}"),u("\\varliminf","\\DOTSB\\operatorname*{\\underline{\\text{lim}}}"),u("\\varinjlim","\\DOTSB\\operatorname\
*{\\underrightarrow{\\text{lim}}}"),u("\\varprojlim","\\DOTSB\\operatorname*{\\underleftarrow{\\text{lim}}}"),u("\\centerdot","{\\medspace\\rule{0.167em}{0.189em}\
\\medspace}"),u("\\argmin","\\DOTSB\\operatorname*{arg\\,min}"),u("\\argmax","\\DOTSB\\operatorname*{arg\\,max}"),u("\\plim","\\DOTSB\\operatorname*{plim}"),u("\
\\leftmodels","\\mathop{\\reflectbox{$\\models$}}"),u("\\bra","\\mathinner{\\langle{#1}|}"),u("\\ket","\\mathinner{|{#1}\\rangle}"),u("\\braket","\\mathinner{\\la\
ngle{#1}\\rangle}"),u("\\Bra","\\left\\langle#1\\right|"),u("\\Ket","\\left|#1\\right\\rangle");var It=(e,t)=>{let o=`}\\,\\middle${t[0]==="|"?"\\vert":"\\Vert"}\
\\,{`;return e.slice(0,t.index)+o+e.slice(t.index+t[0].length)};u("\\Braket",function(e){let t=Ke(e),r=/\|\||\||\\\|/g,o;for(;(o=r.exec(t))!==null;)t=It(t,o);return"\
\\left\\langle{"+t+"}\\right\\rangle"}),u("\\Set",function(e){let t=Ke(e),r=/\|\||\||\\\|/.exec(t);return r&&(t=It(t,r)),"\\left\\{\\:{"+t+"}\\:\\right\\}"}),u(
"\\set",function(e){return"\\{{"+Ke(e).replace(/\|/,"}\\mid{")+"}\\}"}),u("\\angln","{\\angl n}"),u("\\odv","\\@ifstar\\odv@next\\odv@numerator"),u("\\odv@numera\
tor","\\frac{\\mathrm{d}#1}{\\mathrm{d}#2}"),u("\\odv@next","\\frac{\\mathrm{d}}{\\mathrm{d}#2}#1"),u("\\pdv","\\@ifstar\\pdv@next\\pdv@numerator");var Ft=e=>{let t=e[0][0].
text,r=Xe(e[1]).split(","),o=String(r.length),s=o==="1"?"\\partial":`\\partial^${o}`,i="";return r.map(l=>{i+="\\partial "+l.trim()+"\\,"}),[t,s,i.replace(/\\,$/,
"")]};u("\\pdv@numerator",function(e){let[t,r,o]=Ft(e.consumeArgs(2));return`\\frac{${r} ${t}}{${o}}`}),u("\\pdv@next",function(e){let[t,r,o]=Ft(e.consumeArgs(2));
return`\\frac{${r}}{${o}} ${t}`}),u("\\upalpha","\\up@greek{\\alpha}"),u("\\upbeta","\\up@greek{\\beta}"),u("\\upgamma","\\up@greek{\\gamma}"),u("\\updelta","\\u\
p@greek{\\delta}"),u("\\upepsilon","\\up@greek{\\epsilon}"),u("\\upzeta","\\up@greek{\\zeta}"),u("\\upeta","\\up@greek{\\eta}"),u("\\uptheta","\\up@greek{\\theta}"),
u("\\upiota","\\up@greek{\\iota}"),u("\\upkappa","\\up@greek{\\kappa}"),u("\\uplambda","\\up@greek{\\lambda}"),u("\\upmu","\\up@greek{\\mu}"),u("\\upnu","\\up@gr\
eek{\\nu}"),u("\\upxi","\\up@greek{\\xi}"),u("\\upomicron","\\up@greek{\\omicron}"),u("\\uppi","\\up@greek{\\pi}"),u("\\upalpha","\\up@greek{\\alpha}"),u("\\uprh\
o","\\up@greek{\\rho}"),u("\\upsigma","\\up@greek{\\sigma}"),u("\\uptau","\\up@greek{\\tau}"),u("\\upupsilon","\\up@greek{\\upsilon}"),u("\\upphi","\\up@greek{\\p\
hi}"),u("\\upchi","\\up@greek{\\chi}"),u("\\uppsi","\\up@greek{\\psi}"),u("\\upomega","\\up@greek{\\omega}"),u("\\invamp",'\\mathbin{\\char"214b}'),u("\\parr",'\
\\mathbin{\\char"214b}'),u("\\upand",'\\mathbin{\\char"214b}'),u("\\with",'\\mathbin{\\char"26}'),u("\\multimapinv",'\\mathrel{\\char"27dc}'),u("\\multimapboth",
'\\mathrel{\\char"29df}'),u("\\scoh",'{\\mkern5mu\\char"2322\\mkern5mu}'),u("\\sincoh",'{\\mkern5mu\\char"2323\\mkern5mu}'),u("\\coh",`{\\mkern5mu\\rule{}{0.7em}\\\
mathrlap{\\smash{\\raise2mu{\\char"2322}}}
{\\smash{\\lower4mu{\\char"2323}}}\\mkern5mu}`),u("\\incoh",`{\\mkern5mu\\rule{}{0.7em}\\mathrlap{\\smash{\\raise2mu{\\char"2323}}}
{\\smash{\\lower4mu{\\char"2322}}}\\mkern5mu}`),u("\\standardstate","\\text{\\tiny\\char`⦵}"),u("\\ce",function(e){return Nt(e.consumeArgs(1)[0],"ce")}),u("\\p\
u",function(e){return Nt(e.consumeArgs(1)[0],"pu")}),u("\\uniDash","{\\rule{0.672em}{0.06em}}"),u("\\triDash","{\\rule{0.15em}{0.06em}\\kern2mu\\rule{0.15em}{0.06e\
m}\\kern2mu\\rule{0.15em}{0.06em}}"),u("\\tripleDash","\\kern0.075em\\raise0.25em{\\triDash}\\kern0.075em"),u("\\tripleDashOverLine","\\kern0.075em\\mathrlap{\\rai\
se0.125em{\\uniDash}}\\raise0.34em{\\triDash}\\kern0.075em"),u("\\tripleDashOverDoubleLine","\\kern0.075em\\mathrlap{\\mathrlap{\\raise0.48em{\\triDash}}\\raise0.27em\
{\\uniDash}}{\\raise0.05em{\\uniDash}}\\kern0.075em"),u("\\tripleDashBetweenDoubleLine","\\kern0.075em\\mathrlap{\\mathrlap{\\raise0.48em{\\uniDash}}\\raise0.27em{\\tr\
iDash}}{\\raise0.05em{\\uniDash}}\\kern0.075em");var Nt=function(e,t){for(var r="",o=e.length&&e[e.length-1].loc.start,s=e.length-1;s>=0;s--)e[s].loc.start>o&&(r+=
" ",o=e[s].loc.start),r+=e[s].text,o+=e[s].text.length;var i=z.go(w.go(r,t));return i},w={go:function(e,t){if(!e)return[];t===void 0&&(t="ce");var r="0",o={};o.
parenthesisLevel=0,e=e.replace(/\n/g," "),e=e.replace(/[\u2212\u2013\u2014\u2010]/g,"-"),e=e.replace(/[\u2026]/g,"...");for(var s,i=10,l=[];;){s!==e?(i=10,s=e):
i--;var c=w.stateMachines[t],h=c.transitions[r]||c.transitions["*"];e:for(var g=0;g<h.length;g++){var A=w.patterns.match_(h[g].pattern,e);if(A){for(var y=h[g].task,
x=0;x<y.action_.length;x++){var _;if(c.actions[y.action_[x].type_])_=c.actions[y.action_[x].type_](o,A.match_,y.action_[x].option);else if(w.actions[y.action_[x].
type_])_=w.actions[y.action_[x].type_](o,A.match_,y.action_[x].option);else throw["MhchemBugA","mhchem bug A. Please report. ("+y.action_[x].type_+")"];w.concatArray(
l,_)}if(r=y.nextState||r,e.length>0){if(y.revisit||(e=A.remainder),!y.toContinue)break e}else return l}}if(i<=0)throw["MhchemBugU","mhchem bug U. Please report."]}},
concatArray:function(e,t){if(t)if(Array.isArray(t))for(var r=0;r<t.length;r++)e.push(t[r]);else e.push(t)},patterns:{patterns:{empty:/^$/,else:/^./,else2:/^./,space:/^\s/,
"space A":/^\s(?=[A-Z\\$])/,space$:/^\s$/,"a-z":/^[a-z]/,x:/^x/,x$:/^x$/,i$:/^i$/,letters:/^(?:[a-zA-Z\u03B1-\u03C9\u0391-\u03A9?@]|(?:\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)(?:\s+|\{\}|(?![a-zA-Z]))))+/,
"\\greek":/^\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)(?:\s+|\{\}|(?![a-zA-Z]))/,
"one lowercase latin letter $":/^(?:([a-z])(?:$|[^a-zA-Z]))$/,"$one lowercase latin letter$ $":/^\$(?:([a-z])(?:$|[^a-zA-Z]))\$$/,"one lowercase greek letter $":/^(?:\$?[\u03B1-\u03C9]\$?|\$?\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega)\s*\$?)(?:\s+|\{\}|(?![a-zA-Z]))$/,
digits:/^[0-9]+/,"-9.,9":/^[+\-]?(?:[0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))/,"-9.,9 no missing 0":/^[+\-]?[0-9]+(?:[.,][0-9]+)?/,"(-)(9.,9)(e)(99)":function(e){
var t=e.match(/^(\+\-|\+\/\-|\+|\-|\\pm\s?)?([0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))?(\((?:[0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+))\))?(?:([eE]|\s*(\*|x|\\times|\u00D7)\s*10\^)([+\-]?[0-9]+|\{[+\-]?[0-9]+\}))?/);
return t&&t[0]?{match_:t.splice(1),remainder:e.substr(t[0].length)}:null},"(-)(9)^(-9)":function(e){var t=e.match(/^(\+\-|\+\/\-|\+|\-|\\pm\s?)?([0-9]+(?:[,.][0-9]+)?|[0-9]*(?:\.[0-9]+)?)\^([+\-]?[0-9]+|\{[+\-]?[0-9]+\})/);
return t&&t[0]?{match_:t.splice(1),remainder:e.substr(t[0].length)}:null},"state of aggregation $":function(e){var t=w.patterns.findObserveGroups(e,"",/^\([a-z]{1,3}(?=[\),])/,
")","");if(t&&t.remainder.match(/^($|[\s,;\)\]\}])/))return t;var r=e.match(/^(?:\((?:\\ca\s?)?\$[amothc]\$\))/);return r?{match_:r[0],remainder:e.substr(r[0].length)}:
null},"_{(state of aggregation)}$":/^_\{(\([a-z]{1,3}\))\}/,"{[(":/^(?:\\\{|\[|\()/,")]}":/^(?:\)|\]|\\\})/,", ":/^[,;]\s*/,",":/^[,;]/,".":/^[.]/,". ":/^([.\u22C5\u00B7\u2022])\s*/,
"...":/^\.\.\.(?=$|[^.])/,"* ":/^([*])\s*/,"^{(...)}":function(e){return w.patterns.findObserveGroups(e,"^{","","","}")},"^($...$)":function(e){return w.patterns.
findObserveGroups(e,"^","$","$","")},"^a":/^\^([0-9]+|[^\\_])/,"^\\x{}{}":function(e){return w.patterns.findObserveGroups(e,"^",/^\\[a-zA-Z]+\{/,"}","","","{","\
}","",!0)},"^\\x{}":function(e){return w.patterns.findObserveGroups(e,"^",/^\\[a-zA-Z]+\{/,"}","")},"^\\x":/^\^(\\[a-zA-Z]+)\s*/,"^(-1)":/^\^(-?\d+)/,"'":/^'/,"\
_{(...)}":function(e){return w.patterns.findObserveGroups(e,"_{","","","}")},"_($...$)":function(e){return w.patterns.findObserveGroups(e,"_","$","$","")},_9:/^_([+\-]?[0-9]+|[^\\])/,
"_\\x{}{}":function(e){return w.patterns.findObserveGroups(e,"_",/^\\[a-zA-Z]+\{/,"}","","","{","}","",!0)},"_\\x{}":function(e){return w.patterns.findObserveGroups(
e,"_",/^\\[a-zA-Z]+\{/,"}","")},"_\\x":/^_(\\[a-zA-Z]+)\s*/,"^_":/^(?:\^(?=_)|\_(?=\^)|[\^_]$)/,"{}":/^\{\}/,"{...}":function(e){return w.patterns.findObserveGroups(
e,"","{","}","")},"{(...)}":function(e){return w.patterns.findObserveGroups(e,"{","","","}")},"$...$":function(e){return w.patterns.findObserveGroups(e,"","$","\
$","")},"${(...)}$":function(e){return w.patterns.findObserveGroups(e,"${","","","}$")},"$(...)$":function(e){return w.patterns.findObserveGroups(e,"$","","","$")},
"=<>":/^[=<>]/,"#":/^[#\u2261]/,"+":/^\+/,"-$":/^-(?=[\s_},;\]/]|$|\([a-z]+\))/,"-9":/^-(?=[0-9])/,"- orbital overlap":/^-(?=(?:[spd]|sp)(?:$|[\s,;\)\]\}]))/,"-":/^-/,
"pm-operator":/^(?:\\pm|\$\\pm\$|\+-|\+\/-)/,operator:/^(?:\+|(?:[\-=<>]|<<|>>|\\approx|\$\\approx\$)(?=\s|$|-?[0-9]))/,arrowUpDown:/^(?:v|\(v\)|\^|\(\^\))(?=$|[\s,;\)\]\}])/,
"\\bond{(...)}":function(e){return w.patterns.findObserveGroups(e,"\\bond{","","","}")},"->":/^(?:<->|<-->|->|<-|<=>>|<<=>|<=>|[\u2192\u27F6\u21CC])/,CMT:/^[CMT](?=\[)/,
"[(...)]":function(e){return w.patterns.findObserveGroups(e,"[","","","]")},"1st-level escape":/^(&|\\\\|\\hline)\s*/,"\\,":/^(?:\\[,\ ;:])/,"\\x{}{}":function(e){
return w.patterns.findObserveGroups(e,"",/^\\[a-zA-Z]+\{/,"}","","","{","}","",!0)},"\\x{}":function(e){return w.patterns.findObserveGroups(e,"",/^\\[a-zA-Z]+\{/,
"}","")},"\\ca":/^\\ca(?:\s+|(?![a-zA-Z]))/,"\\x":/^(?:\\[a-zA-Z]+\s*|\\[_&{}%])/,orbital:/^(?:[0-9]{1,2}[spdfgh]|[0-9]{0,2}sp)(?=$|[^a-zA-Z])/,others:/^[\/~|]/,
"\\frac{(...)}":function(e){return w.patterns.findObserveGroups(e,"\\frac{","","","}","{","","","}")},"\\overset{(...)}":function(e){return w.patterns.findObserveGroups(
e,"\\overset{","","","}","{","","","}")},"\\underset{(...)}":function(e){return w.patterns.findObserveGroups(e,"\\underset{","","","}","{","","","}")},"\\underbr\
ace{(...)}":function(e){return w.patterns.findObserveGroups(e,"\\underbrace{","","","}_","{","","","}")},"\\color{(...)}0":function(e){return w.patterns.findObserveGroups(
e,"\\color{","","","}")},"\\color{(...)}{(...)}1":function(e){return w.patterns.findObserveGroups(e,"\\color{","","","}","{","","","}")},"\\color(...){(...)}2":function(e){
return w.patterns.findObserveGroups(e,"\\color","\\","",/^(?=\{)/,"{","","","}")},"\\ce{(...)}":function(e){return w.patterns.findObserveGroups(e,"\\ce{","","",
"}")},oxidation$:/^(?:[+-][IVX]+|\\pm\s*0|\$\\pm\$\s*0)$/,"d-oxidation$":/^(?:[+-]?\s?[IVX]+|\\pm\s*0|\$\\pm\$\s*0)$/,"roman numeral":/^[IVX]+/,"1/2$":/^[+\-]?(?:[0-9]+|\$[a-z]\$|[a-z])\/[0-9]+(?:\$[a-z]\$|[a-z])?$/,
amount:function(e){var t;if(t=e.match(/^(?:(?:(?:\([+\-]?[0-9]+\/[0-9]+\)|[+\-]?(?:[0-9]+|\$[a-z]\$|[a-z])\/[0-9]+|[+\-]?[0-9]+[.,][0-9]+|[+\-]?\.[0-9]+|[+\-]?[0-9]+)(?:[a-z](?=\s*[A-Z]))?)|[+\-]?[a-z](?=\s*[A-Z])|\+(?!\s))/),
t)return{match_:t[0],remainder:e.substr(t[0].length)};var r=w.patterns.findObserveGroups(e,"","$","$","");return r&&(t=r.match_.match(/^\$(?:\(?[+\-]?(?:[0-9]*[a-z]?[+\-])?[0-9]*[a-z](?:[+\-][0-9]*[a-z]?)?\)?|\+|-)\$$/),
t)?{match_:t[0],remainder:e.substr(t[0].length)}:null},amount2:function(e){return this.amount(e)},"(KV letters),":/^(?:[A-Z][a-z]{0,2}|i)(?=,)/,formula$:function(e){
if(e.match(/^\([a-z]+\)$/))return null;var t=e.match(/^(?:[a-z]|(?:[0-9\ \+\-\,\.\(\)]+[a-z])+[0-9\ \+\-\,\.\(\)]*|(?:[a-z][0-9\ \+\-\,\.\(\)]+)+[a-z]?)$/);return t?
{match_:t[0],remainder:e.substr(t[0].length)}:null},uprightEntities:/^(?:pH|pOH|pC|pK|iPr|iBu)(?=$|[^a-zA-Z])/,"/":/^\s*(\/)\s*/,"//":/^\s*(\/\/)\s*/,"*":/^\s*[*.]\s*/},
findObserveGroups:function(e,t,r,o,s,i,l,c,h,g){var A=function(T,B){if(typeof B=="string")return T.indexOf(B)!==0?null:B;var K=T.match(B);return K?K[0]:null},y=function(T,B,K){
for(var W=0;B<T.length;){var ue=T.charAt(B),ce=A(T.substr(B),K);if(ce!==null&&W===0)return{endMatchBegin:B,endMatchEnd:B+ce.length};if(ue==="{")W++;else if(ue===
"}"){if(W===0)throw["ExtraCloseMissingOpen","Extra close brace or missing open brace"];W--}B++}return W>0,null},x=A(e,t);if(x===null||(e=e.substr(x.length),x=A(
e,r),x===null))return null;var _=y(e,x.length,o||s);if(_===null)return null;var $=e.substring(0,o?_.endMatchEnd:_.endMatchBegin);if(i||l){var L=this.findObserveGroups(
e.substr(_.endMatchEnd),i,l,c,h);if(L===null)return null;var N=[$,L.match_];return{match_:g?N.join(""):N,remainder:L.remainder}}else return{match_:$,remainder:e.
substr(_.endMatchEnd)}},match_:function(e,t){var r=w.patterns.patterns[e];if(r===void 0)throw["MhchemBugP","mhchem bug P. Please report. ("+e+")"];if(typeof r==
"function")return w.patterns.patterns[e](t);var o=t.match(r);if(o){var s;return o[2]?s=[o[1],o[2]]:o[1]?s=o[1]:s=o[0],{match_:s,remainder:t.substr(o[0].length)}}
return null}},actions:{"a=":function(e,t){e.a=(e.a||"")+t},"b=":function(e,t){e.b=(e.b||"")+t},"p=":function(e,t){e.p=(e.p||"")+t},"o=":function(e,t){e.o=(e.o||
"")+t},"q=":function(e,t){e.q=(e.q||"")+t},"d=":function(e,t){e.d=(e.d||"")+t},"rm=":function(e,t){e.rm=(e.rm||"")+t},"text=":function(e,t){e.text_=(e.text_||"")+
t},insert:function(e,t,r){return{type_:r}},"insert+p1":function(e,t,r){return{type_:r,p1:t}},"insert+p1+p2":function(e,t,r){return{type_:r,p1:t[0],p2:t[1]}},copy:function(e,t){
return t},rm:function(e,t){return{type_:"rm",p1:t||""}},text:function(e,t){return w.go(t,"text")},"{text}":function(e,t){var r=["{"];return w.concatArray(r,w.go(
t,"text")),r.push("}"),r},"tex-math":function(e,t){return w.go(t,"tex-math")},"tex-math tight":function(e,t){return w.go(t,"tex-math tight")},bond:function(e,t,r){
return{type_:"bond",kind_:r||t}},"color0-output":function(e,t){return{type_:"color0",color:t[0]}},ce:function(e,t){return w.go(t)},"1/2":function(e,t){var r=[];
t.match(/^[+\-]/)&&(r.push(t.substr(0,1)),t=t.substr(1));var o=t.match(/^([0-9]+|\$[a-z]\$|[a-z])\/([0-9]+)(\$[a-z]\$|[a-z])?$/);return o[1]=o[1].replace(/\$/g,
""),r.push({type_:"frac",p1:o[1],p2:o[2]}),o[3]&&(o[3]=o[3].replace(/\$/g,""),r.push({type_:"tex-math",p1:o[3]})),r},"9,9":function(e,t){return w.go(t,"9,9")}},
createTransitions:function(e){var t,r,o,s,i={};for(t in e)for(r in e[t])for(o=r.split("|"),e[t][r].stateArray=o,s=0;s<o.length;s++)i[o[s]]=[];for(t in e)for(r in e[t])
for(o=e[t][r].stateArray||[],s=0;s<o.length;s++){var l=e[t][r];if(l.action_){l.action_=[].concat(l.action_);for(var c=0;c<l.action_.length;c++)typeof l.action_[c]==
"string"&&(l.action_[c]={type_:l.action_[c]})}else l.action_=[];for(var h=t.split("|"),g=0;g<h.length;g++)if(o[s]==="*")for(var A in i)i[A].push({pattern:h[g],task:l});else
i[o[s]].push({pattern:h[g],task:l})}return i},stateMachines:{}};w.stateMachines={ce:{transitions:w.createTransitions({empty:{"*":{action_:"output"}},else:{"0|1|\
2":{action_:"beginsWithBond=false",revisit:!0,toContinue:!0}},oxidation$:{0:{action_:"oxidation-output"}},CMT:{r:{action_:"rdt=",nextState:"rt"},rd:{action_:"rq\
t=",nextState:"rdt"}},arrowUpDown:{"0|1|2|as":{action_:["sb=false","output","operator"],nextState:"1"}},uprightEntities:{"0|1|2":{action_:["o=","output"],nextState:"\
1"}},orbital:{"0|1|2|3":{action_:"o=",nextState:"o"}},"->":{"0|1|2|3":{action_:"r=",nextState:"r"},"a|as":{action_:["output","r="],nextState:"r"},"*":{action_:[
"output","r="],nextState:"r"}},"+":{o:{action_:"d= kv",nextState:"d"},"d|D":{action_:"d=",nextState:"d"},q:{action_:"d=",nextState:"qd"},"qd|qD":{action_:"d=",nextState:"\
qd"},dq:{action_:["output","d="],nextState:"d"},3:{action_:["sb=false","output","operator"],nextState:"0"}},amount:{"0|2":{action_:"a=",nextState:"a"}},"pm-oper\
ator":{"0|1|2|a|as":{action_:["sb=false","output",{type_:"operator",option:"\\pm"}],nextState:"0"}},operator:{"0|1|2|a|as":{action_:["sb=false","output","operat\
or"],nextState:"0"}},"-$":{"o|q":{action_:["charge or bond","output"],nextState:"qd"},d:{action_:"d=",nextState:"d"},D:{action_:["output",{type_:"bond",option:"\
-"}],nextState:"3"},q:{action_:"d=",nextState:"qd"},qd:{action_:"d=",nextState:"qd"},"qD|dq":{action_:["output",{type_:"bond",option:"-"}],nextState:"3"}},"-9":{
"3|o":{action_:["output",{type_:"insert",option:"hyphen"}],nextState:"3"}},"- orbital overlap":{o:{action_:["output",{type_:"insert",option:"hyphen"}],nextState:"\
2"},d:{action_:["output",{type_:"insert",option:"hyphen"}],nextState:"2"}},"-":{"0|1|2":{action_:[{type_:"output",option:1},"beginsWithBond=true",{type_:"bond",
option:"-"}],nextState:"3"},3:{action_:{type_:"bond",option:"-"}},a:{action_:["output",{type_:"insert",option:"hyphen"}],nextState:"2"},as:{action_:[{type_:"out\
put",option:2},{type_:"bond",option:"-"}],nextState:"3"},b:{action_:"b="},o:{action_:{type_:"- after o/d",option:!1},nextState:"2"},q:{action_:{type_:"- after o\
/d",option:!1},nextState:"2"},"d|qd|dq":{action_:{type_:"- after o/d",option:!0},nextState:"2"},"D|qD|p":{action_:["output",{type_:"bond",option:"-"}],nextState:"\
3"}},amount2:{"1|3":{action_:"a=",nextState:"a"}},letters:{"0|1|2|3|a|as|b|p|bp|o":{action_:"o=",nextState:"o"},"q|dq":{action_:["output","o="],nextState:"o"},"\
d|D|qd|qD":{action_:"o after d",nextState:"o"}},digits:{o:{action_:"q=",nextState:"q"},"d|D":{action_:"q=",nextState:"dq"},q:{action_:["output","o="],nextState:"\
o"},a:{action_:"o=",nextState:"o"}},"space A":{"b|p|bp":{}},space:{a:{nextState:"as"},0:{action_:"sb=false"},"1|2":{action_:"sb=true"},"r|rt|rd|rdt|rdq":{action_:"\
output",nextState:"0"},"*":{action_:["output","sb=true"],nextState:"1"}},"1st-level escape":{"1|2":{action_:["output",{type_:"insert+p1",option:"1st-level escap\
e"}]},"*":{action_:["output",{type_:"insert+p1",option:"1st-level escape"}],nextState:"0"}},"[(...)]":{"r|rt":{action_:"rd=",nextState:"rd"},"rd|rdt":{action_:"\
rq=",nextState:"rdq"}},"...":{"o|d|D|dq|qd|qD":{action_:["output",{type_:"bond",option:"..."}],nextState:"3"},"*":{action_:[{type_:"output",option:1},{type_:"in\
sert",option:"ellipsis"}],nextState:"1"}},". |* ":{"*":{action_:["output",{type_:"insert",option:"addition compound"}],nextState:"1"}},"state of aggregation $":{
"*":{action_:["output","state of aggregation"],nextState:"1"}},"{[(":{"a|as|o":{action_:["o=","output","parenthesisLevel++"],nextState:"2"},"0|1|2|3":{action_:[
"o=","output","parenthesisLevel++"],nextState:"2"},"*":{action_:["output","o=","output","parenthesisLevel++"],nextState:"2"}},")]}":{"0|1|2|3|b|p|bp|o":{action_:[
"o=","parenthesisLevel--"],nextState:"o"},"a|as|d|D|q|qd|qD|dq":{action_:["output","o=","parenthesisLevel--"],nextState:"o"}},", ":{"*":{action_:["output","comm\
a"],nextState:"0"}},"^_":{"*":{}},"^{(...)}|^($...$)":{"0|1|2|as":{action_:"b=",nextState:"b"},p:{action_:"b=",nextState:"bp"},"3|o":{action_:"d= kv",nextState:"\
D"},q:{action_:"d=",nextState:"qD"},"d|D|qd|qD|dq":{action_:["output","d="],nextState:"D"}},"^a|^\\x{}{}|^\\x{}|^\\x|'":{"0|1|2|as":{action_:"b=",nextState:"b"},
p:{action_:"b=",nextState:"bp"},"3|o":{action_:"d= kv",nextState:"d"},q:{action_:"d=",nextState:"qd"},"d|qd|D|qD":{action_:"d="},dq:{action_:["output","d="],nextState:"\
d"}},"_{(state of aggregation)}$":{"d|D|q|qd|qD|dq":{action_:["output","q="],nextState:"q"}},"_{(...)}|_($...$)|_9|_\\x{}{}|_\\x{}|_\\x":{"0|1|2|as":{action_:"p\
=",nextState:"p"},b:{action_:"p=",nextState:"bp"},"3|o":{action_:"q=",nextState:"q"},"d|D":{action_:"q=",nextState:"dq"},"q|qd|qD|dq":{action_:["output","q="],nextState:"\
q"}},"=<>":{"0|1|2|3|a|as|o|q|d|D|qd|qD|dq":{action_:[{type_:"output",option:2},"bond"],nextState:"3"}},"#":{"0|1|2|3|a|as|o":{action_:[{type_:"output",option:2},
{type_:"bond",option:"#"}],nextState:"3"}},"{}":{"*":{action_:{type_:"output",option:1},nextState:"1"}},"{...}":{"0|1|2|3|a|as|b|p|bp":{action_:"o=",nextState:"\
o"},"o|d|D|q|qd|qD|dq":{action_:["output","o="],nextState:"o"}},"$...$":{a:{action_:"a="},"0|1|2|3|as|b|p|bp|o":{action_:"o=",nextState:"o"},"as|o":{action_:"o="},
"q|d|D|qd|qD|dq":{action_:["output","o="],nextState:"o"}},"\\bond{(...)}":{"*":{action_:[{type_:"output",option:2},"bond"],nextState:"3"}},"\\frac{(...)}":{"*":{
action_:[{type_:"output",option:1},"frac-output"],nextState:"3"}},"\\overset{(...)}":{"*":{action_:[{type_:"output",option:2},"overset-output"],nextState:"3"}},
"\\underset{(...)}":{"*":{action_:[{type_:"output",option:2},"underset-output"],nextState:"3"}},"\\underbrace{(...)}":{"*":{action_:[{type_:"output",option:2},"\
underbrace-output"],nextState:"3"}},"\\color{(...)}{(...)}1|\\color(...){(...)}2":{"*":{action_:[{type_:"output",option:2},"color-output"],nextState:"3"}},"\\col\
or{(...)}0":{"*":{action_:[{type_:"output",option:2},"color0-output"]}},"\\ce{(...)}":{"*":{action_:[{type_:"output",option:2},"ce"],nextState:"3"}},"\\,":{"*":{
action_:[{type_:"output",option:1},"copy"],nextState:"1"}},"\\x{}{}|\\x{}|\\x":{"0|1|2|3|a|as|b|p|bp|o|c0":{action_:["o=","output"],nextState:"3"},"*":{action_:[
"output","o=","output"],nextState:"3"}},others:{"*":{action_:[{type_:"output",option:1},"copy"],nextState:"3"}},else2:{a:{action_:"a to o",nextState:"o",revisit:!0},
as:{action_:["output","sb=true"],nextState:"1",revisit:!0},"r|rt|rd|rdt|rdq":{action_:["output"],nextState:"0",revisit:!0},"*":{action_:["output","copy"],nextState:"\
3"}}}),actions:{"o after d":function(e,t){var r;if((e.d||"").match(/^[0-9]+$/)){var o=e.d;e.d=void 0,r=this.output(e),e.b=o}else r=this.output(e);return w.actions["\
o="](e,t),r},"d= kv":function(e,t){e.d=t,e.dType="kv"},"charge or bond":function(e,t){if(e.beginsWithBond){var r=[];return w.concatArray(r,this.output(e)),w.concatArray(
r,w.actions.bond(e,t,"-")),r}else e.d=t},"- after o/d":function(e,t,r){var o=w.patterns.match_("orbital",e.o||""),s=w.patterns.match_("one lowercase greek lette\
r $",e.o||""),i=w.patterns.match_("one lowercase latin letter $",e.o||""),l=w.patterns.match_("$one lowercase latin letter$ $",e.o||""),c=t==="-"&&(o&&o.remainder===
""||s||i||l);c&&!e.a&&!e.b&&!e.p&&!e.d&&!e.q&&!o&&i&&(e.o="$"+e.o+"$");var h=[];return c?(w.concatArray(h,this.output(e)),h.push({type_:"hyphen"})):(o=w.patterns.
match_("digits",e.d||""),r&&o&&o.remainder===""?(w.concatArray(h,w.actions["d="](e,t)),w.concatArray(h,this.output(e))):(w.concatArray(h,this.output(e)),w.concatArray(
h,w.actions.bond(e,t,"-")))),h},"a to o":function(e){e.o=e.a,e.a=void 0},"sb=true":function(e){e.sb=!0},"sb=false":function(e){e.sb=!1},"beginsWithBond=true":function(e){
e.beginsWithBond=!0},"beginsWithBond=false":function(e){e.beginsWithBond=!1},"parenthesisLevel++":function(e){e.parenthesisLevel++},"parenthesisLevel--":function(e){
e.parenthesisLevel--},"state of aggregation":function(e,t){return{type_:"state of aggregation",p1:w.go(t,"o")}},comma:function(e,t){var r=t.replace(/\s*$/,""),o=r!==
t;return o&&e.parenthesisLevel===0?{type_:"comma enumeration L",p1:r}:{type_:"comma enumeration M",p1:r}},output:function(e,t,r){var o;if(!e.r)o=[],!e.a&&!e.b&&
!e.p&&!e.o&&!e.q&&!e.d&&!r||(e.sb&&o.push({type_:"entitySkip"}),!e.o&&!e.q&&!e.d&&!e.b&&!e.p&&r!==2?(e.o=e.a,e.a=void 0):!e.o&&!e.q&&!e.d&&(e.b||e.p)?(e.o=e.a,e.
d=e.b,e.q=e.p,e.a=e.b=e.p=void 0):e.o&&e.dType==="kv"&&w.patterns.match_("d-oxidation$",e.d||"")?e.dType="oxidation":e.o&&e.dType==="kv"&&!e.q&&(e.dType=void 0),
o.push({type_:"chemfive",a:w.go(e.a,"a"),b:w.go(e.b,"bd"),p:w.go(e.p,"pq"),o:w.go(e.o,"o"),q:w.go(e.q,"pq"),d:w.go(e.d,e.dType==="oxidation"?"oxidation":"bd"),dType:e.
dType}));else{var s;e.rdt==="M"?s=w.go(e.rd,"tex-math"):e.rdt==="T"?s=[{type_:"text",p1:e.rd||""}]:s=w.go(e.rd);var i;e.rqt==="M"?i=w.go(e.rq,"tex-math"):e.rqt===
"T"?i=[{type_:"text",p1:e.rq||""}]:i=w.go(e.rq),o={type_:"arrow",r:e.r,rd:s,rq:i}}for(var l in e)l!=="parenthesisLevel"&&l!=="beginsWithBond"&&delete e[l];return o},
"oxidation-output":function(e,t){var r=["{"];return w.concatArray(r,w.go(t,"oxidation")),r.push("}"),r},"frac-output":function(e,t){return{type_:"frac-ce",p1:w.
go(t[0]),p2:w.go(t[1])}},"overset-output":function(e,t){return{type_:"overset",p1:w.go(t[0]),p2:w.go(t[1])}},"underset-output":function(e,t){return{type_:"under\
set",p1:w.go(t[0]),p2:w.go(t[1])}},"underbrace-output":function(e,t){return{type_:"underbrace",p1:w.go(t[0]),p2:w.go(t[1])}},"color-output":function(e,t){return{
type_:"color",color1:t[0],color2:w.go(t[1])}},"r=":function(e,t){e.r=t},"rdt=":function(e,t){e.rdt=t},"rd=":function(e,t){e.rd=t},"rqt=":function(e,t){e.rqt=t},
"rq=":function(e,t){e.rq=t},operator:function(e,t,r){return{type_:"operator",kind_:r||t}}}},a:{transitions:w.createTransitions({empty:{"*":{}},"1/2$":{0:{action_:"\
1/2"}},else:{0:{nextState:"1",revisit:!0}},"$(...)$":{"*":{action_:"tex-math tight",nextState:"1"}},",":{"*":{action_:{type_:"insert",option:"commaDecimal"}}},else2:{
"*":{action_:"copy"}}}),actions:{}},o:{transitions:w.createTransitions({empty:{"*":{}},"1/2$":{0:{action_:"1/2"}},else:{0:{nextState:"1",revisit:!0}},letters:{"\
*":{action_:"rm"}},"\\ca":{"*":{action_:{type_:"insert",option:"circa"}}},"\\x{}{}|\\x{}|\\x":{"*":{action_:"copy"}},"${(...)}$|$(...)$":{"*":{action_:"tex-math"}},
"{(...)}":{"*":{action_:"{text}"}},else2:{"*":{action_:"copy"}}}),actions:{}},text:{transitions:w.createTransitions({empty:{"*":{action_:"output"}},"{...}":{"*":{
action_:"text="}},"${(...)}$|$(...)$":{"*":{action_:"tex-math"}},"\\greek":{"*":{action_:["output","rm"]}},"\\,|\\x{}{}|\\x{}|\\x":{"*":{action_:["output","copy"]}},
else:{"*":{action_:"text="}}}),actions:{output:function(e){if(e.text_){var t={type_:"text",p1:e.text_};for(var r in e)delete e[r];return t}}}},pq:{transitions:w.
createTransitions({empty:{"*":{}},"state of aggregation $":{"*":{action_:"state of aggregation"}},i$:{0:{nextState:"!f",revisit:!0}},"(KV letters),":{0:{action_:"\
rm",nextState:"0"}},formula$:{0:{nextState:"f",revisit:!0}},"1/2$":{0:{action_:"1/2"}},else:{0:{nextState:"!f",revisit:!0}},"${(...)}$|$(...)$":{"*":{action_:"t\
ex-math"}},"{(...)}":{"*":{action_:"text"}},"a-z":{f:{action_:"tex-math"}},letters:{"*":{action_:"rm"}},"-9.,9":{"*":{action_:"9,9"}},",":{"*":{action_:{type_:"\
insert+p1",option:"comma enumeration S"}}},"\\color{(...)}{(...)}1|\\color(...){(...)}2":{"*":{action_:"color-output"}},"\\color{(...)}0":{"*":{action_:"color0-\
output"}},"\\ce{(...)}":{"*":{action_:"ce"}},"\\,|\\x{}{}|\\x{}|\\x":{"*":{action_:"copy"}},else2:{"*":{action_:"copy"}}}),actions:{"state of aggregation":function(e,t){
return{type_:"state of aggregation subscript",p1:w.go(t,"o")}},"color-output":function(e,t){return{type_:"color",color1:t[0],color2:w.go(t[1],"pq")}}}},bd:{transitions:w.
createTransitions({empty:{"*":{}},x$:{0:{nextState:"!f",revisit:!0}},formula$:{0:{nextState:"f",revisit:!0}},else:{0:{nextState:"!f",revisit:!0}},"-9.,9 no miss\
ing 0":{"*":{action_:"9,9"}},".":{"*":{action_:{type_:"insert",option:"electron dot"}}},"a-z":{f:{action_:"tex-math"}},x:{"*":{action_:{type_:"insert",option:"K\
V x"}}},letters:{"*":{action_:"rm"}},"'":{"*":{action_:{type_:"insert",option:"prime"}}},"${(...)}$|$(...)$":{"*":{action_:"tex-math"}},"{(...)}":{"*":{action_:"\
text"}},"\\color{(...)}{(...)}1|\\color(...){(...)}2":{"*":{action_:"color-output"}},"\\color{(...)}0":{"*":{action_:"color0-output"}},"\\ce{(...)}":{"*":{action_:"\
ce"}},"\\,|\\x{}{}|\\x{}|\\x":{"*":{action_:"copy"}},else2:{"*":{action_:"copy"}}}),actions:{"color-output":function(e,t){return{type_:"color",color1:t[0],color2:w.
go(t[1],"bd")}}}},oxidation:{transitions:w.createTransitions({empty:{"*":{}},"roman numeral":{"*":{action_:"roman-numeral"}},"${(...)}$|$(...)$":{"*":{action_:"\
tex-math"}},else:{"*":{action_:"copy"}}}),actions:{"roman-numeral":function(e,t){return{type_:"roman numeral",p1:t||""}}}},"tex-math":{transitions:w.createTransitions(
{empty:{"*":{action_:"output"}},"\\ce{(...)}":{"*":{action_:["output","ce"]}},"{...}|\\,|\\x{}{}|\\x{}|\\x":{"*":{action_:"o="}},else:{"*":{action_:"o="}}}),actions:{
output:function(e){if(e.o){var t={type_:"tex-math",p1:e.o};for(var r in e)delete e[r];return t}}}},"tex-math tight":{transitions:w.createTransitions({empty:{"*":{
action_:"output"}},"\\ce{(...)}":{"*":{action_:["output","ce"]}},"{...}|\\,|\\x{}{}|\\x{}|\\x":{"*":{action_:"o="}},"-|+":{"*":{action_:"tight operator"}},else:{
"*":{action_:"o="}}}),actions:{"tight operator":function(e,t){e.o=(e.o||"")+"{"+t+"}"},output:function(e){if(e.o){var t={type_:"tex-math",p1:e.o};for(var r in e)
delete e[r];return t}}}},"9,9":{transitions:w.createTransitions({empty:{"*":{}},",":{"*":{action_:"comma"}},else:{"*":{action_:"copy"}}}),actions:{comma:function(){
return{type_:"commaDecimal"}}}},pu:{transitions:w.createTransitions({empty:{"*":{action_:"output"}},space$:{"*":{action_:["output","space"]}},"{[(|)]}":{"0|a":{
action_:"copy"}},"(-)(9)^(-9)":{0:{action_:"number^",nextState:"a"}},"(-)(9.,9)(e)(99)":{0:{action_:"enumber",nextState:"a"}},space:{"0|a":{}},"pm-operator":{"0\
|a":{action_:{type_:"operator",option:"\\pm"},nextState:"0"}},operator:{"0|a":{action_:"copy",nextState:"0"}},"//":{d:{action_:"o=",nextState:"/"}},"/":{d:{action_:"\
o=",nextState:"/"}},"{...}|else":{"0|d":{action_:"d=",nextState:"d"},a:{action_:["space","d="],nextState:"d"},"/|q":{action_:"q=",nextState:"q"}}}),actions:{enumber:function(e,t){
var r=[];return t[0]==="+-"||t[0]==="+/-"?r.push("\\pm "):t[0]&&r.push(t[0]),t[1]&&(w.concatArray(r,w.go(t[1],"pu-9,9")),t[2]&&(t[2].match(/[,.]/)?w.concatArray(
r,w.go(t[2],"pu-9,9")):r.push(t[2])),t[3]=t[4]||t[3],t[3]&&(t[3]=t[3].trim(),t[3]==="e"||t[3].substr(0,1)==="*"?r.push({type_:"cdot"}):r.push({type_:"times"}))),
t[3]&&r.push("10^{"+t[5]+"}"),r},"number^":function(e,t){var r=[];return t[0]==="+-"||t[0]==="+/-"?r.push("\\pm "):t[0]&&r.push(t[0]),w.concatArray(r,w.go(t[1],
"pu-9,9")),r.push("^{"+t[2]+"}"),r},operator:function(e,t,r){return{type_:"operator",kind_:r||t}},space:function(){return{type_:"pu-space-1"}},output:function(e){
var t,r=w.patterns.match_("{(...)}",e.d||"");r&&r.remainder===""&&(e.d=r.match_);var o=w.patterns.match_("{(...)}",e.q||"");if(o&&o.remainder===""&&(e.q=o.match_),
e.d&&(e.d=e.d.replace(/\u00B0C|\^oC|\^{o}C/g,"{}^{\\circ}C"),e.d=e.d.replace(/\u00B0F|\^oF|\^{o}F/g,"{}^{\\circ}F")),e.q){e.q=e.q.replace(/\u00B0C|\^oC|\^{o}C/g,
"{}^{\\circ}C"),e.q=e.q.replace(/\u00B0F|\^oF|\^{o}F/g,"{}^{\\circ}F");var s={d:w.go(e.d,"pu"),q:w.go(e.q,"pu")};e.o==="//"?t={type_:"pu-frac",p1:s.d,p2:s.q}:(t=
s.d,s.d.length>1||s.q.length>1?t.push({type_:" / "}):t.push({type_:"/"}),w.concatArray(t,s.q))}else t=w.go(e.d,"pu-2");for(var i in e)delete e[i];return t}}},"p\
u-2":{transitions:w.createTransitions({empty:{"*":{action_:"output"}},"*":{"*":{action_:["output","cdot"],nextState:"0"}},"\\x":{"*":{action_:"rm="}},space:{"*":{
action_:["output","space"],nextState:"0"}},"^{(...)}|^(-1)":{1:{action_:"^(-1)"}},"-9.,9":{0:{action_:"rm=",nextState:"0"},1:{action_:"^(-1)",nextState:"0"}},"{\
...}|else":{"*":{action_:"rm=",nextState:"1"}}}),actions:{cdot:function(){return{type_:"tight cdot"}},"^(-1)":function(e,t){e.rm+="^{"+t+"}"},space:function(){return{
type_:"pu-space-2"}},output:function(e){var t=[];if(e.rm){var r=w.patterns.match_("{(...)}",e.rm||"");r&&r.remainder===""?t=w.go(r.match_,"pu"):t={type_:"rm",p1:e.
rm}}for(var o in e)delete e[o];return t}}},"pu-9,9":{transitions:w.createTransitions({empty:{0:{action_:"output-0"},o:{action_:"output-o"}},",":{0:{action_:["ou\
tput-0","comma"],nextState:"o"}},".":{0:{action_:["output-0","copy"],nextState:"o"}},else:{"*":{action_:"text="}}}),actions:{comma:function(){return{type_:"comm\
aDecimal"}},"output-0":function(e){var t=[];if(e.text_=e.text_||"",e.text_.length>4){var r=e.text_.length%3;r===0&&(r=3);for(var o=e.text_.length-3;o>0;o-=3)t.push(
e.text_.substr(o,3)),t.push({type_:"1000 separator"});t.push(e.text_.substr(0,r)),t.reverse()}else t.push(e.text_);for(var s in e)delete e[s];return t},"output-\
o":function(e){var t=[];if(e.text_=e.text_||"",e.text_.length>4){for(var r=e.text_.length-3,o=0;o<r;o+=3)t.push(e.text_.substr(o,3)),t.push({type_:"1000 separat\
or"});t.push(e.text_.substr(o))}else t.push(e.text_);for(var s in e)delete e[s];return t}}}};var z={go:function(e,t){if(!e)return"";for(var r="",o=!1,s=0;s<e.length;s++){
var i=e[s];typeof i=="string"?r+=i:(r+=z._go2(i),i.type_==="1st-level escape"&&(o=!0))}return!t&&!o&&r&&(r="{"+r+"}"),r},_goInner:function(e){return e&&z.go(e,!0)},
_go2:function(e){var t;switch(e.type_){case"chemfive":t="";var r={a:z._goInner(e.a),b:z._goInner(e.b),p:z._goInner(e.p),o:z._goInner(e.o),q:z._goInner(e.q),d:z.
_goInner(e.d)};r.a&&(r.a.match(/^[+\-]/)&&(r.a="{"+r.a+"}"),t+=r.a+"\\,"),(r.b||r.p)&&(t+="{\\vphantom{X}}",t+="^{\\hphantom{"+(r.b||"")+"}}_{\\hphantom{"+(r.p||
"")+"}}",t+="{\\vphantom{X}}",t+="^{\\vphantom{2}\\mathllap{"+(r.b||"")+"}}",t+="_{\\vphantom{2}\\mathllap{"+(r.p||"")+"}}"),r.o&&(r.o.match(/^[+\-]/)&&(r.o="{"+
r.o+"}"),t+=r.o),e.dType==="kv"?((r.d||r.q)&&(t+="{\\vphantom{X}}"),r.d&&(t+="^{"+r.d+"}"),r.q&&(t+="_{"+r.q+"}")):e.dType==="oxidation"?(r.d&&(t+="{\\vphantom{X\
}}",t+="^{"+r.d+"}"),r.q&&(t+="{{}}",t+="_{"+r.q+"}")):(r.q&&(t+="{{}}",t+="_{"+r.q+"}"),r.d&&(t+="{{}}",t+="^{"+r.d+"}"));break;case"rm":t="\\mathrm{"+e.p1+"}";
break;case"text":e.p1.match(/[\^_]/)?(e.p1=e.p1.replace(" ","~").replace("-","\\text{-}"),t="\\mathrm{"+e.p1+"}"):t="\\text{"+e.p1+"}";break;case"roman numeral":
t="\\mathrm{"+e.p1+"}";break;case"state of aggregation":t="\\mskip2mu "+z._goInner(e.p1);break;case"state of aggregation subscript":t="\\mskip1mu "+z._goInner(e.
p1);break;case"bond":if(t=z._getBond(e.kind_),!t)throw["MhchemErrorBond","mhchem Error. Unknown bond type ("+e.kind_+")"];break;case"frac":var o="\\frac{"+e.p1+
"}{"+e.p2+"}";t="\\mathchoice{\\textstyle"+o+"}{"+o+"}{"+o+"}{"+o+"}";break;case"pu-frac":var s="\\frac{"+z._goInner(e.p1)+"}{"+z._goInner(e.p2)+"}";t="\\mathcho\
ice{\\textstyle"+s+"}{"+s+"}{"+s+"}{"+s+"}";break;case"tex-math":t=e.p1+" ";break;case"frac-ce":t="\\frac{"+z._goInner(e.p1)+"}{"+z._goInner(e.p2)+"}";break;case"\
overset":t="\\overset{"+z._goInner(e.p1)+"}{"+z._goInner(e.p2)+"}";break;case"underset":t="\\underset{"+z._goInner(e.p1)+"}{"+z._goInner(e.p2)+"}";break;case"un\
derbrace":t="\\underbrace{"+z._goInner(e.p1)+"}_{"+z._goInner(e.p2)+"}";break;case"color":t="{\\color{"+e.color1+"}{"+z._goInner(e.color2)+"}}";break;case"color\
0":t="\\color{"+e.color+"}";break;case"arrow":var i={rd:z._goInner(e.rd),rq:z._goInner(e.rq)},l=z._getArrow(e.r);i.rq&&(l+="[{\\rm "+i.rq+"}]"),i.rd?l+="{\\rm "+
i.rd+"}":l+="{}",t=l;break;case"operator":t=z._getOperator(e.kind_);break;case"1st-level escape":t=e.p1+" ";break;case"space":t=" ";break;case"entitySkip":t="~";
break;case"pu-space-1":t="~";break;case"pu-space-2":t="\\mkern3mu ";break;case"1000 separator":t="\\mkern2mu ";break;case"commaDecimal":t="{,}";break;case"comma\
 enumeration L":t="{"+e.p1+"}\\mkern6mu ";break;case"comma enumeration M":t="{"+e.p1+"}\\mkern3mu ";break;case"comma enumeration S":t="{"+e.p1+"}\\mkern1mu ";break;case"\
hyphen":t="\\text{-}";break;case"addition compound":t="\\,{\\cdot}\\,";break;case"electron dot":t="\\mkern1mu \\text{\\textbullet}\\mkern1mu ";break;case"KV x":
t="{\\times}";break;case"prime":t="\\prime ";break;case"cdot":t="\\cdot ";break;case"tight cdot":t="\\mkern1mu{\\cdot}\\mkern1mu ";break;case"times":t="\\times ";
break;case"circa":t="{\\sim}";break;case"^":t="uparrow";break;case"v":t="downarrow";break;case"ellipsis":t="\\ldots ";break;case"/":t="/";break;case" / ":t="\\,/\
\\,";break;default:throw["MhchemBugT","mhchem bug T. Please report."]}return t},_getArrow:function(e){switch(e){case"->":return"\\yields";case"→":return"\\yiel\
ds";case"⟶":return"\\yields";case"<-":return"\\yieldsLeft";case"<->":return"\\mesomerism";case"<-->":return"\\yieldsLeftRight";case"<=>":return"\\chemequilibri\
um";case"⇌":return"\\chemequilibrium";case"<=>>":return"\\equilibriumRight";case"<<=>":return"\\equilibriumLeft";default:throw["MhchemBugT","mhchem bug T. Ple\
ase report."]}},_getBond:function(e){switch(e){case"-":return"{-}";case"1":return"{-}";case"=":return"{=}";case"2":return"{=}";case"#":return"{\\equiv}";case"3":
return"{\\equiv}";case"~":return"{\\tripleDash}";case"~-":return"{\\tripleDashOverLine}";case"~=":return"{\\tripleDashOverDoubleLine}";case"~--":return"{\\triple\
DashOverDoubleLine}";case"-~-":return"{\\tripleDashBetweenDoubleLine}";case"...":return"{{\\cdot}{\\cdot}{\\cdot}}";case"....":return"{{\\cdot}{\\cdot}{\\cdot}{\\cd\
ot}}";case"->":return"{\\rightarrow}";case"<-":return"{\\leftarrow}";case"<":return"{<}";case">":return"{>}";default:throw["MhchemBugT","mhchem bug T. Please re\
port."]}},_getOperator:function(e){switch(e){case"+":return" {}+{} ";case"-":return" {}-{} ";case"=":return" {}={} ";case"<":return" {}<{} ";case">":return" {}>\
{} ";case"<<":return" {}\\ll{} ";case">>":return" {}\\gg{} ";case"\\pm":return" {}\\pm{} ";case"\\approx":return" {}\\approx{} ";case"$\\approx$":return" {}\\app\
rox{} ";case"v":return" \\downarrow{} ";case"(v)":return" \\downarrow{} ";case"^":return" \\uparrow{} ";case"(^)":return" \\uparrow{} ";default:throw["MhchemBug\
T","mhchem bug T. Please report."]}}};u("\\darr","\\downarrow"),u("\\dArr","\\Downarrow"),u("\\Darr","\\Downarrow"),u("\\lang","\\langle"),u("\\rang","\\rangle"),u("\\uarr","\\uparrow"),u("\\uArr","\
\\Uparrow"),u("\\Uarr","\\Uparrow"),u("\\N","\\mathbb{N}"),u("\\R","\\mathbb{R}"),u("\\Z","\\mathbb{Z}"),u("\\alef","\\aleph"),u("\\alefsym","\\aleph"),u("\\bull",
"\\bullet"),u("\\clubs","\\clubsuit"),u("\\cnums","\\mathbb{C}"),u("\\Complex","\\mathbb{C}"),u("\\Dagger","\\ddagger"),u("\\diamonds","\\diamondsuit"),u("\\empt\
y","\\emptyset"),u("\\exist","\\exists"),u("\\harr","\\leftrightarrow"),u("\\hArr","\\Leftrightarrow"),u("\\Harr","\\Leftrightarrow"),u("\\hearts","\\heartsuit"),
u("\\image","\\Im"),u("\\infin","\\infty"),u("\\isin","\\in"),u("\\larr","\\leftarrow"),u("\\lArr","\\Leftarrow"),u("\\Larr","\\Leftarrow"),u("\\lrarr","\\leftri\
ghtarrow"),u("\\lrArr","\\Leftrightarrow"),u("\\Lrarr","\\Leftrightarrow"),u("\\natnums","\\mathbb{N}"),u("\\plusmn","\\pm"),u("\\rarr","\\rightarrow"),u("\\rArr",
"\\Rightarrow"),u("\\Rarr","\\Rightarrow"),u("\\real","\\Re"),u("\\reals","\\mathbb{R}"),u("\\Reals","\\mathbb{R}"),u("\\sdot","\\cdot"),u("\\sect","\\S"),u("\\s\
pades","\\spadesuit"),u("\\sub","\\subset"),u("\\sube","\\subseteq"),u("\\supe","\\supseteq"),u("\\thetasym","\\vartheta"),u("\\weierp","\\wp"),u("\\quantity","\
{\\left\\{ #1 \\right\\}}"),u("\\qty","{\\left\\{ #1 \\right\\}}"),u("\\pqty","{\\left( #1 \\right)}"),u("\\bqty","{\\left[ #1 \\right]}"),u("\\vqty","{\\left\\ve\
rt #1 \\right\\vert}"),u("\\Bqty","{\\left\\{ #1 \\right\\}}"),u("\\absolutevalue","{\\left\\vert #1 \\right\\vert}"),u("\\abs","{\\left\\vert #1 \\right\\vert}"),
u("\\norm","{\\left\\Vert #1 \\right\\Vert}"),u("\\evaluated","{\\left.#1 \\right\\vert}"),u("\\eval","{\\left.#1 \\right\\vert}"),u("\\order","{\\mathcal{O} \\le\
ft( #1 \\right)}"),u("\\commutator","{\\left[ #1 , #2 \\right]}"),u("\\comm","{\\left[ #1 , #2 \\right]}"),u("\\anticommutator","{\\left\\{ #1 , #2 \\right\\}}"),
u("\\acomm","{\\left\\{ #1 , #2 \\right\\}}"),u("\\poissonbracket","{\\left\\{ #1 , #2 \\right\\}}"),u("\\pb","{\\left\\{ #1 , #2 \\right\\}}"),u("\\vectorbold",
"{\\boldsymbol{ #1 }}"),u("\\vb","{\\boldsymbol{ #1 }}"),u("\\vectorarrow","{\\vec{\\boldsymbol{ #1 }}}"),u("\\va","{\\vec{\\boldsymbol{ #1 }}}"),u("\\vectorunit",
"{{\\boldsymbol{\\hat{ #1 }}}}"),u("\\vu","{{\\boldsymbol{\\hat{ #1 }}}}"),u("\\dotproduct","\\mathbin{\\boldsymbol\\cdot}"),u("\\vdot","{\\boldsymbol\\cdot}"),
u("\\crossproduct","\\mathbin{\\boldsymbol\\times}"),u("\\cross","\\mathbin{\\boldsymbol\\times}"),u("\\cp","\\mathbin{\\boldsymbol\\times}"),u("\\gradient","{\\\
boldsymbol\\nabla}"),u("\\grad","{\\boldsymbol\\nabla}"),u("\\divergence","{\\grad\\vdot}"),u("\\curl","{\\grad\\cross}"),u("\\laplacian","\\nabla^2"),u("\\tr",
"{\\operatorname{tr}}"),u("\\Tr","{\\operatorname{Tr}}"),u("\\rank","{\\operatorname{rank}}"),u("\\erf","{\\operatorname{erf}}"),u("\\Res","{\\operatorname{Res}}"),
u("\\principalvalue","{\\mathcal{P}}"),u("\\pv","{\\mathcal{P}}"),u("\\PV","{\\operatorname{P.V.}}"),u("\\qqtext","{\\quad\\text{ #1 }\\quad}"),u("\\qq","{\\quad\
\\text{ #1 }\\quad}"),u("\\qcomma","{\\text{,}\\quad}"),u("\\qc","{\\text{,}\\quad}"),u("\\qcc","{\\quad\\text{c.c.}\\quad}"),u("\\qif","{\\quad\\text{if}\\quad}"),
u("\\qthen","{\\quad\\text{then}\\quad}"),u("\\qelse","{\\quad\\text{else}\\quad}"),u("\\qotherwise","{\\quad\\text{otherwise}\\quad}"),u("\\qunless","{\\quad\\te\
xt{unless}\\quad}"),u("\\qgiven","{\\quad\\text{given}\\quad}"),u("\\qusing","{\\quad\\text{using}\\quad}"),u("\\qassume","{\\quad\\text{assume}\\quad}"),u("\\qs\
ince","{\\quad\\text{since}\\quad}"),u("\\qlet","{\\quad\\text{let}\\quad}"),u("\\qfor","{\\quad\\text{for}\\quad}"),u("\\qall","{\\quad\\text{all}\\quad}"),u("\
\\qeven","{\\quad\\text{even}\\quad}"),u("\\qodd","{\\quad\\text{odd}\\quad}"),u("\\qinteger","{\\quad\\text{integer}\\quad}"),u("\\qand","{\\quad\\text{and}\\quad\
}"),u("\\qor","{\\quad\\text{or}\\quad}"),u("\\qas","{\\quad\\text{as}\\quad}"),u("\\qin","{\\quad\\text{in}\\quad}"),u("\\differential","{\\text{d}}"),u("\\dd",
"{\\text{d}}"),u("\\derivative","{\\frac{\\text{d}{ #1 }}{\\text{d}{ #2 }}}"),u("\\dv","{\\frac{\\text{d}{ #1 }}{\\text{d}{ #2 }}}"),u("\\partialderivative","{\\\
frac{\\partial{ #1 }}{\\partial{ #2 }}}"),u("\\variation","{\\delta}"),u("\\var","{\\delta}"),u("\\functionalderivative","{\\frac{\\delta{ #1 }}{\\delta{ #2 }}}"),
u("\\fdv","{\\frac{\\delta{ #1 }}{\\delta{ #2 }}}"),u("\\innerproduct","{\\left\\langle {#1} \\mid { #2} \\right\\rangle}"),u("\\outerproduct","{\\left\\vert { #1\
 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"),u("\\dyad","{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"),u("\\ketbra","{\\le\
ft\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"),u("\\op","{\\left\\vert { #1 } \\right\\rangle\\left\\langle { #2} \\right\\vert}"),u("\\exp\
ectationvalue","{\\left\\langle {#1 } \\right\\rangle}"),u("\\expval","{\\left\\langle {#1 } \\right\\rangle}"),u("\\ev","{\\left\\langle {#1 } \\right\\rangle}"),
u("\\matrixelement","{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#3}\\right\\rangle}"),u("\\matrixel","{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#\
3}\\right\\rangle}"),u("\\mel","{\\left\\langle{ #1 }\\right\\vert{ #2 }\\left\\vert{#3}\\right\\rangle}");function Pt(e){let t=[];e.consumeSpaces();let r=e.fetch().
text;for(r==="\\relax"&&(e.consume(),e.consumeSpaces(),r=e.fetch().text);r==="\\hline"||r==="\\hdashline";)e.consume(),t.push(r==="\\hdashline"),e.consumeSpaces(),
r=e.fetch().text;return t}var xe=e=>{if(!e.parser.settings.displayMode)throw new v(`{${e.envName}} can be used only in display mode.`)},cn=/([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/,
Mt=e=>{let t=e.get("\\arraystretch");typeof t!="string"&&(t=Xe(t.tokens)),t=isNaN(t)?null:Number(t);let r=e.get("\\arraycolsep");typeof r!="string"&&(r=Xe(r.tokens));
let o=cn.exec(r),s=o?{number:+(o[1]+o[2]),unit:o[3]}:null;return[t,s]},Gt=e=>{let t="";for(let r=0;r<e.length;r++)if(e[r].type==="label"){if(t)throw new v("Mult\
iple \\labels in one row");t=e[r].string}return t};function Qe(e){if(e.indexOf("ed")===-1)return e.indexOf("*")===-1}function ee(e,{cols:t,envClasses:r,autoTag:o,
singleRow:s,emptySingleRow:i,maxNumCols:l,leqno:c,arraystretch:h,arraycolsep:g},A){let y=r&&r.includes("bordermatrix")?"}":"\\end";e.gullet.beginGroup(),s||e.gullet.
macros.set("\\cr","\\\\\\relax"),e.gullet.beginGroup();let x=[],_=[x],$=[],L=[],N=[],T=o!=null?[]:void 0;function B(){o&&e.gullet.macros.set("\\@eqnsw","1",!0)}
function K(){T&&(e.gullet.macros.get("\\df@tag")?(T.push(e.subparse([new Y("\\df@tag")])),e.gullet.macros.set("\\df@tag",void 0,!0)):T.push(!!o&&e.gullet.macros.
get("\\@eqnsw")==="1"))}for(B(),N.push(Pt(e));;){let W=e.parseExpression(!1,s?"\\end":"\\\\");e.gullet.endGroup(),e.gullet.beginGroup(),W={type:"ordgroup",mode:e.
mode,body:W,semisimple:!0},x.push(W);let ue=e.fetch().text;if(ue==="&"){if(l&&x.length===l)if(r.includes("array")){if(e.settings.strict)throw new v("Too few col\
umns specified in the {array} column argument.",e.nextToken)}else throw l===2?new v("The split environment accepts no more than two columns",e.nextToken):new v(
"The equation environment accepts only one column",e.nextToken);e.consume()}else if(ue===y){K(),x.length===1&&W.body.length===0&&(_.length>1||!i)&&_.pop(),L.push(
Gt(W.body)),N.length<_.length+1&&N.push([]);break}else if(ue==="\\\\"){e.consume();let ce;e.gullet.future().text!==" "&&(ce=e.parseSizeGroup(!0)),$.push(ce?ce.value:
null),K(),L.push(Gt(W.body)),N.push(Pt(e)),x=[],_.push(x),B()}else throw new v("Expected & or \\\\ or \\cr or "+y,e.nextToken)}return e.gullet.endGroup(),e.gullet.
endGroup(),{type:"array",mode:e.mode,body:_,cols:t,rowGaps:$,hLinesBeforeRow:N,envClasses:r,autoTag:o,scriptLevel:A,tags:T,labels:L,leqno:c,arraystretch:h,arraycolsep:g}}
function Rt(e){return e.slice(0,1)==="d"?"display":"text"}var dn={c:"center ",l:"left ",r:"right "},jt=e=>{let t=new p("mtd",[]);return t.style={padding:"0",width:"\
50%"},e.envClasses.includes("multline")&&(t.style.width="7.5%"),t},X=function(e,t){let r=[],o=e.body.length,s=e.hLinesBeforeRow,i=e.tags&&e.tags.some(g=>g);for(let g=0;g<
o;g++){let A=e.body[g],y=[],x=e.scriptLevel==="text"?I.TEXT:e.scriptLevel==="script"?I.SCRIPT:I.DISPLAY;for(let T=0;T<A.length;T++){let B=new p("mtd",[E(A[T],t.
withLevel(x))]);if(e.envClasses.includes("multline")){let K=g===0?"left":g===o-1?"right":"center";K!=="center"&&B.classes.push("tml-"+K)}y.push(B)}let _=e.body[0].
length;for(let T=0;T<_-A.length;T++)y.push(new p("mtd",[],[],t));if(i){let T=e.tags[g],B;T===!0?B=new p("mtext",[new pt(["tml-eqn"])]):T===!1?B=new p("mtext",[],
[]):(B=ne(T[0].body,t.withLevel(x),!0),B=Te(B),B.classes=["tml-tag"]),B&&(y.unshift(jt(e)),y.push(jt(e)),e.leqno?y[0].children.push(B):y[y.length-1].children.push(
B))}let $=new p("mtr",y,[]),L=e.labels.shift();L&&e.tags&&e.tags[g]&&($.setAttribute("id",L),Array.isArray(e.tags[g])&&$.classes.push("tml-tageqn")),g===0&&s[0].
length>0&&(s[0].length===2?$.children.forEach(T=>{T.style.borderTop="0.15em double"}):$.children.forEach(T=>{T.style.borderTop=s[0][0]?"0.06em dashed":"0.06em s\
olid"})),s[g+1].length>0&&(s[g+1].length===2?$.children.forEach(T=>{T.style.borderBottom="0.15em double"}):$.children.forEach(T=>{T.style.borderBottom=s[g+1][0]?
"0.06em dashed":"0.06em solid"}));let N=!0;for(let T=0;T<$.children.length;T++){let B=$.children[T].children[0];if(!(B&&B.type==="mpadded"&&B.attributes.height===
"0px")){N=!1;break}}if(N){$.classes.push("ff-squash");for(let T=0;T<$.children.length;T++)$.children[T].style.paddingTop="0",$.children[T].style.paddingBottom="\
0"}r.push($)}if(e.arraystretch&&e.arraystretch!==1){let g=String(1.4*e.arraystretch-.8)+"ex";for(let A=0;A<r.length;A++)for(let y=0;y<r[A].children.length;y++)r[A].
children[y].style.paddingTop=g,r[A].children[y].style.paddingBottom=g}let l,c;if(e.envClasses.length>0&&(l=e.envClasses.includes("abut")||e.envClasses.includes(
"cases")?"0":e.envClasses.includes("small")?"0.1389":e.envClasses.includes("cd")?"0.25":"0.4",c="em"),e.arraycolsep){let g=Q(e.arraycolsep,t);l=g.number.toFixed(
4),c=g.unit}if(l){let g=r.length===0?0:r[0].children.length,A=(y,x)=>y===0&&x===0||y===g-1&&x===1?"0":e.envClasses[0]!=="align"?l:x===1?"0":i?y%2?"1":"0":y%2?"0":
"1";for(let y=0;y<r.length;y++)for(let x=0;x<r[y].children.length;x++)r[y].children[x].style.paddingLeft=`${A(x,0)}${c}`,r[y].children[x].style.paddingRight=`${A(
x,1)}${c}`}if(e.envClasses.length===0)for(let g=0;g<r.length;g++)r[g].children[0].style.paddingLeft="0em",r[g].children.length===r[0].children.length&&(r[g].children[r[g].
children.length-1].style.paddingRight="0em");if(e.envClasses.length>0){let g=e.envClasses.includes("align")||e.envClasses.includes("alignat");for(let A=0;A<r.length;A++){
let y=r[A];if(g){for(let x=0;x<y.children.length;x++)y.children[x].classes=["tml-"+(x%2?"left":"right")];if(i){let x=e.leqno?0:y.children.length-1;y.children[x].
classes=[]}}if(y.children.length>1&&e.envClasses.includes("cases")&&(y.children[1].style.paddingLeft="1em"),e.envClasses.includes("cases")||e.envClasses.includes(
"subarray"))for(let x of y.children)x.classes.push("tml-left")}}let h=new p("mtable",r);if(e.envClasses.length>0&&(e.envClasses.includes("jot")?h.classes.push("\
tml-jot"):e.envClasses.includes("small")&&h.classes.push("tml-small")),e.scriptLevel==="display"&&h.setAttribute("displaystyle","true"),(e.autoTag||e.envClasses.
includes("multline"))&&(h.style.width="100%"),e.cols&&e.cols.length>0){let g=e.cols,A=!1,y=0,x=g.length;for(;g[y].type==="separator";)y+=1;for(;g[x-1].type==="s\
eparator";)x-=1;if(g[0].type==="separator"){let $=g[1].type==="separator"?"0.15em double":g[0].separator==="|"?"0.06em solid ":"0.06em dashed ";for(let L of h.children)
L.children[0].style.borderLeft=$}let _=i?0:-1;for(let $=y;$<x;$++)if(g[$].type==="align"){let L=dn[g[$].align];_+=1;for(let N of h.children)L.trim()!=="center"&&
_<N.children.length&&(N.children[_].classes=["tml-"+L.trim()]);A=!0}else if(g[$].type==="separator"){if(A){let L=g[$+1].type==="separator"?"0.15em double":g[$].
separator==="|"?"0.06em solid":"0.06em dashed";for(let N of h.children)_<N.children.length&&(N.children[_].style.borderRight=L)}A=!1}if(g[g.length-1].type==="se\
parator"){let $=g[g.length-2].type==="separator"?"0.15em double":g[g.length-1].separator==="|"?"0.06em solid":"0.06em dashed";for(let L of h.children)L.children[L.
children.length-1].style.borderRight=$,L.children[L.children.length-1].style.paddingRight="0.4em"}}return e.envClasses.includes("small")&&(h=new p("mstyle",[h]),
h.setAttribute("scriptlevel","1")),h},Ut=function(e,t){e.envName.indexOf("ed")===-1&&xe(e);let r=e.envName==="split",o=[],s=ee(e.parser,{cols:o,emptySingleRow:!0,
autoTag:r?void 0:Qe(e.envName),envClasses:["abut","jot"],maxNumCols:e.envName==="split"?2:void 0,leqno:e.parser.settings.leqno},"display"),i,l=0,c=e.envName.indexOf(
"at")>-1;if(t[0]&&c){let h="";for(let g=0;g<t[0].body.length;g++){let A=C(t[0].body[g],"textord");h+=A.text}if(isNaN(h))throw new v("The alignat enviroment requ\
ires a numeric first argument.");i=Number(h),l=i*2}s.body.forEach(function(h){if(c){let g=h.length/2;if(i<g)throw new v(`Too many math in a row: expected ${i}, \
but got ${g}`,h[0])}else l<h.length&&(l=h.length)});for(let h=0;h<l;++h){let g="r";h%2===1&&(g="l"),o[h]={type:"align",align:g}}return e.envName==="split"||(c?s.
envClasses.push("alignat"):s.envClasses[0]="align"),s};Z({type:"array",names:["array","darray"],props:{numArgs:1},handler(e,t){let s=(Be(t[0])?[t[0]]:C(t[0],"or\
dgroup").body).map(function(h){let A=He(h).text;if("lcr".indexOf(A)!==-1)return{type:"align",align:A};if(A==="|")return{type:"separator",separator:"|"};if(A==="\
:")return{type:"separator",separator:":"};throw new v("Unknown column alignment: "+A,h)}),[i,l]=Mt(e.parser.gullet.macros),c={cols:s,envClasses:["array"],maxNumCols:s.
length,arraystretch:i,arraycolsep:l};return ee(e.parser,c,Rt(e.envName))},mathmlBuilder:X}),Z({type:"array",names:["matrix","pmatrix","bmatrix","Bmatrix","vmatr\
ix","Vmatrix","matrix*","pmatrix*","bmatrix*","Bmatrix*","vmatrix*","Vmatrix*"],props:{numArgs:0},handler(e){let t={matrix:null,pmatrix:["(",")"],bmatrix:["[","\
]"],Bmatrix:["\\{","\\}"],vmatrix:["|","|"],Vmatrix:["\\Vert","\\Vert"]}[e.envName.replace("*","")],r="c",o={envClasses:[],cols:[]};if(e.envName.charAt(e.envName.
length-1)==="*"){let c=e.parser;if(c.consumeSpaces(),c.fetch().text==="["){if(c.consume(),c.consumeSpaces(),r=c.fetch().text,"lcr".indexOf(r)===-1)throw new v("\
Expected l or c or r",c.nextToken);c.consume(),c.consumeSpaces(),c.expect("]"),c.consume(),o.cols=[]}}let s=ee(e.parser,o,"text");s.cols=s.body.length>0?new Array(
s.body[0].length).fill({type:"align",align:r}):[];let[i,l]=Mt(e.parser.gullet.macros);return s.arraystretch=i,l&&!(l===6&&l==="pt")&&(s.arraycolsep=l),t?{type:"\
leftright",mode:e.mode,body:[s],left:t[0],right:t[1],rightColor:void 0}:s},mathmlBuilder:X}),Z({type:"array",names:["bordermatrix"],props:{numArgs:0},handler(e){
let t={cols:[],envClasses:["bordermatrix"]},r=ee(e.parser,t,"text");return r.cols=r.body.length>0?new Array(r.body[0].length).fill({type:"align",align:"c"}):[],
r.envClasses=[],r.arraystretch=1,e.envName==="matrix"?r:ln(r,e.delimiters)},mathmlBuilder:X}),Z({type:"array",names:["smallmatrix"],props:{numArgs:0},handler(e){
let t={envClasses:["small"]};return ee(e.parser,t,"script")},mathmlBuilder:X}),Z({type:"array",names:["subarray"],props:{numArgs:1},handler(e,t){let s=(Be(t[0])?
[t[0]]:C(t[0],"ordgroup").body).map(function(l){let h=He(l).text;if("lc".indexOf(h)!==-1)return{type:"align",align:h};throw new v("Unknown column alignment: "+h,
l)});if(s.length>1)throw new v("{subarray} can contain only one column");let i={cols:s,envClasses:["small"]};if(i=ee(e.parser,i,"script"),i.body.length>0&&i.body[0].
length>1)throw new v("{subarray} can contain only one column");return i},mathmlBuilder:X}),Z({type:"array",names:["cases","dcases","rcases","drcases"],props:{numArgs:0},
handler(e){let t={cols:[],envClasses:["cases"]},r=ee(e.parser,t,Rt(e.envName));return{type:"leftright",mode:e.mode,body:[r],left:e.envName.indexOf("r")>-1?".":"\
\\{",right:e.envName.indexOf("r")>-1?"\\}":".",rightColor:void 0}},mathmlBuilder:X}),Z({type:"array",names:["align","align*","aligned","split"],props:{numArgs:0},
handler:Ut,mathmlBuilder:X}),Z({type:"array",names:["alignat","alignat*","alignedat"],props:{numArgs:1},handler:Ut,mathmlBuilder:X}),Z({type:"array",names:["gat\
hered","gather","gather*"],props:{numArgs:0},handler(e){e.envName!=="gathered"&&xe(e);let t={cols:[],envClasses:["abut","jot"],autoTag:Qe(e.envName),emptySingleRow:!0,
leqno:e.parser.settings.leqno};return ee(e.parser,t,"display")},mathmlBuilder:X}),Z({type:"array",names:["equation","equation*"],props:{numArgs:0},handler(e){xe(
e);let t={autoTag:Qe(e.envName),emptySingleRow:!0,singleRow:!0,maxNumCols:1,envClasses:["align"],leqno:e.parser.settings.leqno};return ee(e.parser,t,"display")},
mathmlBuilder:X}),Z({type:"array",names:["multline","multline*"],props:{numArgs:0},handler(e){xe(e);let t={autoTag:e.envName==="multline",maxNumCols:1,envClasses:[
"jot","multline"],leqno:e.parser.settings.leqno};return ee(e.parser,t,"display")},mathmlBuilder:X}),Z({type:"array",names:["CD"],props:{numArgs:0},handler(e){return xe(
e),sn(e.parser)},mathmlBuilder:X}),S({type:"text",names:["\\hline","\\hdashline"],props:{numArgs:0,allowedInText:!0,allowedInMath:!0},handler(e,t){throw new v(`${e.
funcName} valid only within array environment`)}});var et=Ct;S({type:"bordermatrix",names:["\\bordermatrix","\\matrix"],props:{numArgs:0,numOptionalArgs:1},handler:({
parser:e,funcName:t},r,o)=>{let s=["(",")"];if(t==="\\bordermatrix"&&o[0]&&o[0].body){let h=o[0].body;h.length===1&&h[0].type==="delimiter"&&(s=[h[0].left,h[0].
right])}e.consumeSpaces(),e.consume();let i=et.bordermatrix,l={mode:e.mode,envName:t.slice(1),delimiters:s,parser:e},c=i.handler(l);return e.expect("}",!0),c}}),
S({type:"cancelto",names:["\\cancelto"],props:{numArgs:2},handler({parser:e},t){let r=t[0],o=t[1];return{type:"cancelto",mode:e.mode,body:o,to:r,isCharacterBox:Se(
o)}},mathmlBuilder(e,t){let r=new p("mrow",[E(e.body,t)],["ff-narrow"]),o=new p("mphantom",[E(e.body,t)]),s=new p("mrow",[o],["tml-cancelto"]);s.style.color=t.color,
e.isCharacterBox&&mt.indexOf(e.body.body[0].text)>-1&&(s.style.left="0.1em",s.style.width="90%");let i=new p("mrow",[r,s],["menclose"]);if(!e.isCharacterBox||/[f∫∑]/.
test(e.body.body[0].text))o.style.paddingRight="0.2em";else{o.style.padding="0.5ex 0.1em 0 0";let y=new p("mspace",[]);y.setAttribute("height","0.85em"),r.children.
push(y)}let l;if(e.isCharacterBox)l=new p("mspace",[]),l.setAttribute("height","1em");else{let y=E(e.body,t),x=new p("mpadded",[y]);x.setAttribute("width","0.1p\
x"),l=new p("mphantom",[x])}let c=E(e.to,t);c.style.color=t.color;let h=new p("mpadded",[c]);if(!e.isCharacterBox||/[f∫∑]/.test(e.body.body[0].text)){let y=new p(
"mspace",[]);y.setAttribute("width","0.2em"),h.children.unshift(y)}h.setAttribute("width","0.1px");let g=new p("mover",[l,h]),A=new p("mrow",[],["ff-nudge-left"]);
return ae([be([i,g]),A])}}),S({type:"textord",names:["\\@char"],props:{numArgs:1,allowedInText:!0},handler({parser:e,token:t},r){let s=C(r[0],"ordgroup").body,i="";
for(let c=0;c<s.length;c++){let h=C(s[c],"textord");i+=h.text}let l=parseInt(i);if(isNaN(l))throw new v(`\\@char has non-numeric argument ${i}`,t);return{type:"\
textord",mode:e.mode,text:String.fromCodePoint(l)}}});var mn=/^(#[a-f0-9]{3}|#?[a-f0-9]{6})$/i,hn=/^(#[a-f0-9]{3}|#?[a-f0-9]{6}|[a-z]+)$/i,pn=/^ *\d{1,3} *(?:, *\d{1,3} *){2}$/,
fn=/^ *[10](?:\.\d*)? *(?:, *[10](?:\.\d*)? *){2}$/,gn=/^[a-f0-9]{6}$/i,Vt=e=>{let t=e.toString(16);return t.length===1&&(t="0"+t),t},Wt=JSON.parse(`{
  "Apricot": "#ffb484",
  "Aquamarine": "#08b4bc",
  "Bittersweet": "#c84c14",
  "blue": "#0000FF",
  "Blue": "#303494",
  "BlueGreen": "#08b4bc",
  "BlueViolet": "#503c94",
  "BrickRed": "#b8341c",
  "brown": "#BF8040",
  "Brown": "#802404",
  "BurntOrange": "#f8941c",
  "CadetBlue": "#78749c",
  "CarnationPink": "#f884b4",
  "Cerulean": "#08a4e4",
  "CornflowerBlue": "#40ace4",
  "cyan": "#00FFFF",
  "Cyan": "#08acec",
  "Dandelion": "#ffbc44",
  "darkgray": "#404040",
  "DarkOrchid": "#a8548c",
  "Emerald": "#08ac9c",
  "ForestGreen": "#089c54",
  "Fuchsia": "#90348c",
  "Goldenrod": "#ffdc44",
  "gray": "#808080",
  "Gray": "#98949c",
  "green": "#00FF00",
  "Green": "#08a44c",
  "GreenYellow": "#e0e474",
  "JungleGreen": "#08ac9c",
  "Lavender": "#f89cc4",
  "lightgray": "#c0c0c0",
  "lime": "#BFFF00",
  "LimeGreen": "#90c43c",
  "magenta": "#FF00FF",
  "Magenta": "#f0048c",
  "Mahogany": "#b0341c",
  "Maroon": "#b03434",
  "Melon": "#f89c7c",
  "MidnightBlue": "#086494",
  "Mulberry": "#b03c94",
  "NavyBlue": "#086cbc",
  "olive": "#7F7F00",
  "OliveGreen": "#407c34",
  "orange": "#FF8000",
  "Orange": "#f8843c",
  "OrangeRed": "#f0145c",
  "Orchid": "#b074ac",
  "Peach": "#f8945c",
  "Periwinkle": "#8074bc",
  "PineGreen": "#088c74",
  "pink": "#ff7f7f",
  "Plum": "#98248c",
  "ProcessBlue": "#08b4ec",
  "purple": "#BF0040",
  "Purple": "#a0449c",
  "RawSienna": "#983c04",
  "red": "#ff0000",
  "Red": "#f01c24",
  "RedOrange": "#f86434",
  "RedViolet": "#a0246c",
  "Rhodamine": "#f0549c",
  "Royallue": "#0874bc",
  "RoyalPurple": "#683c9c",
  "RubineRed": "#f0047c",
  "Salmon": "#f8948c",
  "SeaGreen": "#30bc9c",
  "Sepia": "#701404",
  "SkyBlue": "#48c4dc",
  "SpringGreen": "#c8dc64",
  "Tan": "#e09c74",
  "teal": "#007F7F",
  "TealBlue": "#08acb4",
  "Thistle": "#d884b4",
  "Turquoise": "#08b4cc",
  "violet": "#800080",
  "Violet": "#60449c",
  "VioletRed": "#f054a4",
  "WildStrawberry": "#f0246c",
  "yellow": "#FFFF00",
  "Yellow": "#fff404",
  "YellowGreen": "#98cc6c",
  "YellowOrange": "#ffa41c"
}`),me=(e,t)=>{let r="";if(e==="HTML"){if(!mn.test(t))throw new v("Invalid HTML input.");r=t}else if(e==="RGB"){if(!pn.test(t))throw new v("Invalid RGB input.");
t.split(",").map(o=>{r+=Vt(Number(o.trim()))})}else{if(!fn.test(t))throw new v("Invalid rbg input.");t.split(",").map(o=>{let s=Number(o.trim());if(s>1)throw new v(
"Color rgb input must be < 1.");r+=Vt(Number((s*255).toFixed(0)))})}return r.charAt(0)!=="#"&&(r="#"+r),r},ye=(e,t,r)=>{let o=`\\\\color@${e}`;if(!hn.exec(e))throw new v(
"Invalid color: '"+e+"'",r);return gn.test(e)?"#"+e:(e.charAt(0)==="#"||(t.has(o)?e=t.get(o).tokens[0].text:Wt[e]&&(e=Wt[e])),e)},Ht=(e,t)=>{let r=U(e.body,t.withColor(
e.color));return r.length===0&&r.push(new p("mrow")),r=r.map(o=>(o.style.color=e.color,o)),ae(r)};S({type:"color",names:["\\textcolor"],props:{numArgs:2,numOptionalArgs:1,
allowedInText:!0,argTypes:["raw","raw","original"]},handler({parser:e,token:t},r,o){let s=o[0]&&C(o[0],"raw").string,i="";if(s){let c=C(r[0],"raw").string;i=me(
s,c)}else i=ye(C(r[0],"raw").string,e.gullet.macros,t);let l=r[1];return{type:"color",mode:e.mode,color:i,isTextColor:!0,body:R(l)}},mathmlBuilder:Ht}),S({type:"\
color",names:["\\color"],props:{numArgs:1,numOptionalArgs:1,allowedInText:!0,argTypes:["raw","raw"]},handler({parser:e,breakOnTokenText:t,token:r},o,s){let i=s[0]&&
C(s[0],"raw").string,l="";if(i){let h=C(o[0],"raw").string;l=me(i,h)}else l=ye(C(o[0],"raw").string,e.gullet.macros,r);let c=e.parseExpression(!0,t,!0);return{type:"\
color",mode:e.mode,color:l,isTextColor:!1,body:c}},mathmlBuilder:Ht}),S({type:"color",names:["\\definecolor"],props:{numArgs:3,allowedInText:!0,argTypes:["raw",
"raw","raw"]},handler({parser:e,funcName:t,token:r},o){let s=C(o[0],"raw").string;if(!/^[A-Za-z]+$/.test(s))throw new v("Color name must be latin letters.",r);let i=C(
o[1],"raw").string;if(!["HTML","RGB","rgb"].includes(i))throw new v("Color model must be HTML, RGB, or rgb.",r);let l=C(o[2],"raw").string,c=me(i,l);return e.gullet.
macros.set(`\\\\color@${s}`,{tokens:[{text:c}],numArgs:0}),{type:"internal",mode:e.mode}}}),S({type:"cr",names:["\\\\"],props:{numArgs:0,numOptionalArgs:0,allowedInText:!0},
handler({parser:e},t,r){let o=e.gullet.future().text==="["?e.parseSizeGroup(!0):null,s=!e.settings.displayMode;return{type:"cr",mode:e.mode,newLine:s,size:o&&C(
o,"size").value}},mathmlBuilder(e,t){let r=new p("mo");if(e.newLine&&(r.setAttribute("linebreak","newline"),e.size)){let o=Q(e.size,t);r.setAttribute("height",o.
number+o.unit)}return r}});var tt={"\\global":"\\global","\\long":"\\\\globallong","\\\\globallong":"\\\\globallong","\\def":"\\gdef","\\gdef":"\\gdef","\\edef":"\
\\xdef","\\xdef":"\\xdef","\\let":"\\\\globallet","\\futurelet":"\\\\globalfuture"},Oe=e=>{let t=e.text;if(/^(?:[\\{}$&#^_]|EOF)$/.test(t))throw new v("Expected\
 a control sequence",e);return t},bn=e=>{let t=e.gullet.popToken();return t.text==="="&&(t=e.gullet.popToken(),t.text===" "&&(t=e.gullet.popToken())),t},Zt=(e,t,r,o)=>{
let s=e.gullet.macros.get(r.text);s==null&&(r.noexpand=!0,s={tokens:[r],numArgs:0,unexpandable:!e.gullet.isExpandable(r.text)}),e.gullet.macros.set(t,s,o)};S({type:"\
internal",names:["\\global","\\long","\\\\globallong"],props:{numArgs:0,allowedInText:!0},handler({parser:e,funcName:t}){e.consumeSpaces();let r=e.fetch();if(tt[r.
text])return(t==="\\global"||t==="\\\\globallong")&&(r.text=tt[r.text]),C(e.parseFunction(),"internal");throw new v("Invalid token after macro prefix",r)}}),S({
type:"internal",names:["\\def","\\gdef","\\edef","\\xdef"],props:{numArgs:0,allowedInText:!0,primitive:!0},handler({parser:e,funcName:t}){let r=e.gullet.popToken(),
o=r.text;if(/^(?:[\\{}$&#^_]|EOF)$/.test(o))throw new v("Expected a control sequence",r);let s=0,i,l=[[]];for(;e.gullet.future().text!=="{";)if(r=e.gullet.popToken(),
r.text==="#"){if(e.gullet.future().text==="{"){i=e.gullet.future(),l[s].push("{");break}if(r=e.gullet.popToken(),!/^[1-9]$/.test(r.text))throw new v(`Invalid ar\
gument number "${r.text}"`);if(parseInt(r.text)!==s+1)throw new v(`Argument number "${r.text}" out of order`);s++,l.push([])}else{if(r.text==="EOF")throw new v(
"Expected a macro definition");l[s].push(r.text)}let{tokens:c}=e.gullet.consumeArg();if(i&&c.unshift(i),t==="\\edef"||t==="\\xdef"){if(c=e.gullet.expandTokens(c),
c.length>e.gullet.settings.maxExpand)throw new v("Too many expansions in an "+t);c.reverse()}return e.gullet.macros.set(o,{tokens:c,numArgs:s,delimiters:l},t===
tt[t]),{type:"internal",mode:e.mode}}}),S({type:"internal",names:["\\let","\\\\globallet"],props:{numArgs:0,allowedInText:!0,primitive:!0},handler({parser:e,funcName:t}){
let r=Oe(e.gullet.popToken());e.gullet.consumeSpaces();let o=bn(e);return Zt(e,r,o,t==="\\\\globallet"),{type:"internal",mode:e.mode}}}),S({type:"internal",names:[
"\\futurelet","\\\\globalfuture"],props:{numArgs:0,allowedInText:!0,primitive:!0},handler({parser:e,funcName:t}){let r=Oe(e.gullet.popToken()),o=e.gullet.popToken(),
s=e.gullet.popToken();return Zt(e,r,s,t==="\\\\globalfuture"),e.gullet.pushToken(s),e.gullet.pushToken(o),{type:"internal",mode:e.mode}}}),S({type:"internal",names:[
"\\newcommand","\\renewcommand","\\providecommand"],props:{numArgs:0,allowedInText:!0,primitive:!0},handler({parser:e,funcName:t}){let r="",o=e.gullet.popToken();
o.text==="{"?(r=Oe(e.gullet.popToken()),e.gullet.popToken()):r=Oe(o);let s=e.gullet.isDefined(r);if(s&&t==="\\newcommand")throw new v(`\\newcommand{${r}} attemp\
ting to redefine ${r}; use \\renewcommand`);if(!s&&t==="\\renewcommand")throw new v(`\\renewcommand{${r}} when command ${r} does not yet exist; use \\newcommand`);
let i=0;if(e.gullet.future().text==="["){let c=e.gullet.popToken();if(c=e.gullet.popToken(),!/^[0-9]$/.test(c.text))throw new v(`Invalid number of arguments: "${c.
text}"`);if(i=parseInt(c.text),c=e.gullet.popToken(),c.text!=="]")throw new v(`Invalid argument "${c.text}"`)}let{tokens:l}=e.gullet.consumeArg();return t==="\\p\
rovidecommand"&&e.gullet.macros.has(r)||e.gullet.macros.set(r,{tokens:l,numArgs:i}),{type:"internal",mode:e.mode}}});var rt={"\\bigl":{mclass:"mopen",size:1},"\\\
Bigl":{mclass:"mopen",size:2},"\\biggl":{mclass:"mopen",size:3},"\\Biggl":{mclass:"mopen",size:4},"\\bigr":{mclass:"mclose",size:1},"\\Bigr":{mclass:"mclose",size:2},
"\\biggr":{mclass:"mclose",size:3},"\\Biggr":{mclass:"mclose",size:4},"\\bigm":{mclass:"mrel",size:1},"\\Bigm":{mclass:"mrel",size:2},"\\biggm":{mclass:"mrel",size:3},
"\\Biggm":{mclass:"mrel",size:4},"\\big":{mclass:"mord",size:1},"\\Big":{mclass:"mord",size:2},"\\bigg":{mclass:"mord",size:3},"\\Bigg":{mclass:"mord",size:4}},
nt={"(":")","\\lparen":"\\rparen","[":"]","\\lbrack":"\\rbrack","\\{":"\\}","\\lbrace":"\\rbrace","⦇":"⦈","\\llparenthesis":"\\rrparenthesis","\\lfloor":"\\r\
floor","⌊":"⌋","\\lceil":"\\rceil","⌈":"⌉","\\langle":"\\rangle","⟨":"⟩","\\lAngle":"\\rAngle","⟪":"⟫","\\llangle":"\\rrangle","⦉":"⦊","\\lve\
rt":"\\rvert","\\lVert":"\\rVert","\\lgroup":"\\rgroup","⟮":"⟯","\\lmoustache":"\\rmoustache","⎰":"⎱","\\llbracket":"\\rrbracket","⟦":"⟧","\\lBrace":"\
\\rBrace","⦃":"⦄"},xn=new Set(Object.keys(nt));new Set(Object.values(nt));var Xt=new Set(["(","\\lparen",")","\\rparen","[","\\lbrack","]","\\rbrack","\\{",
"\\lbrace","\\}","\\rbrace","⦇","\\llparenthesis","⦈","\\rrparenthesis","\\lfloor","\\rfloor","⌊","⌋","\\lceil","\\rceil","⌈","⌉","<",">","\\langle",
"⟨","\\rangle","⟩","\\lAngle","⟪","\\rAngle","⟫","\\llangle","⦉","\\rrangle","⦊","\\lt","\\gt","\\lvert","\\rvert","\\lVert","\\rVert","\\lgroup","\\\
rgroup","⟮","⟯","\\lmoustache","\\rmoustache","⎰","⎱","\\llbracket","\\rrbracket","⟦","⟧","\\lBrace","\\rBrace","⦃","⦄","/","\\backslash","|","\\\
vert","\\|","\\Vert","‖","\\uparrow","\\Uparrow","\\downarrow","\\Downarrow","\\updownarrow","\\Updownarrow","."]),yn=new Set(["}","\\left","\\middle","\\right"]),
$e=e=>e.length>0&&(Xt.has(e)||rt[e]||yn.has(e)),Yt=[0,1.2,1.8,2.4,3];function we(e,t){e.type==="ordgroup"&&e.body.length===1&&(e=e.body[0]);let r=Be(e);if(r&&Xt.
has(r.text))return(r.text==="<"||r.text==="\\lt")&&(r.text="⟨"),(r.text===">"||r.text==="\\gt")&&(r.text="⟩"),r;throw r?new v(`Invalid delimiter '${r.text}'\
 after '${t.funcName}'`,e):new v(`Invalid delimiter type '${e.type}'`,e)}var wn=new Set(["/","\\","\\backslash","∖","\\vert","|"]),Ee=(e,t,r,o)=>{let s=e==="."?
"":e,i=new p("mo",[H(s,t)]);return i.setAttribute("fence","true"),i.setAttribute("form",r),i.setAttribute("stretchy",o?"true":"false"),i};S({type:"delimsizing",
names:["\\bigl","\\Bigl","\\biggl","\\Biggl","\\bigr","\\Bigr","\\biggr","\\Biggr","\\bigm","\\Bigm","\\biggm","\\Biggm","\\big","\\Big","\\bigg","\\Bigg"],props:{
numArgs:1,argTypes:["primitive"]},handler:(e,t)=>{let r=we(t[0],e),o={type:"delimsizing",mode:e.parser.mode,size:rt[e.funcName].size,mclass:rt[e.funcName].mclass,
delim:r.text},s=e.parser.fetch().text;return s!=="^"&&s!=="_"?o:{type:"ordgroup",mode:"math",body:[o,{type:"ordgroup",mode:"math",body:[]}]}},mathmlBuilder:e=>{
let t=[],r=e.delim==="."?"":e.delim;t.push(H(r,e.mode));let o=new p("mo",t);return e.mclass==="mopen"||e.mclass==="mclose"?o.setAttribute("fence","true"):o.setAttribute(
"fence","false"),(wn.has(r)||r.indexOf("arrow")>-1)&&o.setAttribute("stretchy","true"),o.setAttribute("symmetric","true"),o.setAttribute("minsize",Yt[e.size]+"e\
m"),o.setAttribute("maxsize",Yt[e.size]+"em"),o}});function Kt(e){if(!e.body)throw new Error("Bug: The delim ParseNode wasn't fully parsed.")}S({type:"leftright\
-right",names:["\\right"],props:{numArgs:1,argTypes:["primitive"]},handler:(e,t)=>({type:"leftright-right",mode:e.parser.mode,delim:we(t[0],e).text})}),S({type:"\
leftright",names:["\\left"],props:{numArgs:1,argTypes:["primitive"]},handler:(e,t)=>{let r=we(t[0],e),o=e.parser;++o.leftrightDepth;let s=o.parseExpression(!1,"\
\\right",!0),i=o.fetch();for(;i.text==="\\middle";){o.consume();let c=o.fetch().text;if(!F.math[c])throw new v(`Invalid delimiter '${c}' after '\\middle'`);we({
type:"atom",mode:"math",text:c},{funcName:"\\middle"}),s.push({type:"middle",mode:"math",delim:c}),o.consume(),s=s.concat(o.parseExpression(!1,"\\right",!0)),i=
o.fetch()}--o.leftrightDepth,o.expect("\\right",!1);let l=C(o.parseFunction(),"leftright-right");return{type:"leftright",mode:o.mode,body:s,left:r.text,right:l.
delim,isStretchy:!0}},mathmlBuilder:(e,t)=>{Kt(e);let r=U(e.body,t),o=Ee(e.left,e.mode,"prefix",!0);r.unshift(o);let s=Ee(e.right,e.mode,"postfix",!0);if(e.body.
length>0){let i=e.body[e.body.length-1];i.type==="color"&&!i.isTextColor&&s.setAttribute("mathcolor",i.color)}return r.push(s),be(r)}}),S({type:"delimiter",names:Array.
from(xn),props:{numArgs:0,allowedInText:!0,allowedInMath:!0,allowedInArgument:!0},handler:({parser:e,funcName:t,token:r})=>{if(e.mode==="text")return{type:"text\
ord",mode:"text",text:t,loc:r.loc};if(!e.settings.wrapDelimiterPairs)return{type:"atom",mode:"math",family:"open",loc:r.loc,text:t};let o=nt[t],s=e.parseExpression(
!1,o,!1);if(e.fetch().text!==o)throw new v("Unmatched delimiter");return e.consume(),{type:"delimiter",mode:e.mode,body:s,left:t,right:o}},mathmlBuilder:(e,t)=>{
Kt(e);let r=U(e.body,t),o=Ee(e.left,e.mode,"prefix",!1);r.unshift(o);let s=Ee(e.right,e.mode,"postfix",!1);if(e.body.length>0){let i=e.body[e.body.length-1];i.type===
"color"&&!i.isTextColor&&s.setAttribute("mathcolor",i.color)}return r.push(s),be(r)}}),S({type:"middle",names:["\\middle"],props:{numArgs:1,argTypes:["primitive"]},
handler:(e,t)=>{let r=we(t[0],e);if(!e.parser.leftrightDepth)throw new v("\\middle without preceding \\left",r);return{type:"middle",mode:e.parser.mode,delim:r.
text}},mathmlBuilder:e=>{let t=H(e.delim,e.mode),r=new p("mo",[t]);return r.setAttribute("stretchy","true"),r.setAttribute("form","infix"),t.text!=="/"&&(r.setAttribute(
"lspace","0.05em"),r.setAttribute("rspace","0.05em")),r}});var vn=["\\boxed","\\fcolorbox","\\colorbox"],he=(e,t)=>{let r=vn.includes(e.label)?"mrow":"menclose",
o=new p(r,[E(e.body,t)]);switch(e.label){case"\\overline":o.setAttribute("notation","top"),o.classes.push("tml-overline");break;case"\\underline":o.setAttribute(
"notation","bottom"),o.classes.push("tml-underline");break;case"\\cancel":o.setAttribute("notation","updiagonalstrike"),o.children.push(new p("mrow",[],["tml-ca\
ncel","upstrike"]));break;case"\\bcancel":o.setAttribute("notation","downdiagonalstrike"),o.children.push(new p("mrow",[],["tml-cancel","downstrike"]));break;case"\
\\sout":o.setAttribute("notation","horizontalstrike"),o.children.push(new p("mrow",[],["tml-cancel","sout"]));break;case"\\xcancel":o.setAttribute("notation","u\
pdiagonalstrike downdiagonalstrike"),o.children.push(new p("mrow",[],["tml-cancel","tml-xcancel"]));break;case"\\longdiv":o.setAttribute("notation","longdiv"),o.
classes.push("longdiv-top"),o.children.push(new p("mrow",[],["longdiv-arc"]));break;case"\\phase":o.setAttribute("notation","phasorangle"),o.classes.push("phaso\
r-bottom"),o.children.push(new p("mrow",[],["phasor-angle"]));break;case"\\textcircled":o.setAttribute("notation","circle"),o.classes.push("circle-pad"),o.children.
push(new p("mrow",[],["textcircle"]));break;case"\\angl":o.setAttribute("notation","actuarial"),o.classes.push("actuarial");break;case"\\boxed":o.style.padding=
"3pt",o.style.border="1px solid",o.setAttribute("scriptlevel","0"),o.setAttribute("displaystyle","true");break;case"\\fbox":o.setAttribute("notation","box"),o.classes.
push("tml-fbox");break;case"\\fcolorbox":case"\\colorbox":{o.style.padding="0.3em",e.label==="\\fcolorbox"&&(o.style.border="0.0667em solid "+String(e.borderColor));
break}}return e.backgroundColor&&o.setAttribute("mathbackground",e.backgroundColor),o};S({type:"enclose",names:["\\colorbox"],props:{numArgs:2,numOptionalArgs:1,
allowedInText:!0,argTypes:["raw","raw","text"]},handler({parser:e,funcName:t},r,o){let s=o[0]&&C(o[0],"raw").string,i="";if(s){let c=C(r[0],"raw").string;i=me(s,
c)}else i=ye(C(r[0],"raw").string,e.gullet.macros);let l=r[1];return{type:"enclose",mode:e.mode,label:t,backgroundColor:i,body:l}},mathmlBuilder:he}),S({type:"e\
nclose",names:["\\fcolorbox"],props:{numArgs:3,numOptionalArgs:1,allowedInText:!0,argTypes:["raw","raw","raw","text"]},handler({parser:e,funcName:t},r,o){let s=o[0]&&
C(o[0],"raw").string,i="",l;if(s){let h=C(r[0],"raw").string,g=C(r[0],"raw").string;i=me(s,h),l=me(s,g)}else i=ye(C(r[0],"raw").string,e.gullet.macros),l=ye(C(r[1],
"raw").string,e.gullet.macros);let c=r[2];return{type:"enclose",mode:e.mode,label:t,backgroundColor:l,borderColor:i,body:c}},mathmlBuilder:he}),S({type:"enclose",
names:["\\fbox"],props:{numArgs:1,argTypes:["hbox"],allowedInText:!0},handler({parser:e},t){return{type:"enclose",mode:e.mode,label:"\\fbox",body:t[0]}}}),S({type:"\
enclose",names:["\\angl","\\cancel","\\bcancel","\\xcancel","\\overline","\\boxed","\\longdiv","\\phase"],props:{numArgs:1},handler({parser:e,funcName:t},r){let o=r[0];
return{type:"enclose",mode:e.mode,label:t,body:o}},mathmlBuilder:he}),S({type:"enclose",names:["\\sout"],props:{numArgs:1,allowedInText:!0},handler({parser:e,funcName:t},r){
let o=r[0];return{type:"enclose",mode:e.mode,label:t,body:o}},mathmlBuilder:he}),S({type:"enclose",names:["\\underline"],props:{numArgs:1,allowedInText:!0},handler({
parser:e,funcName:t},r){let o=r[0];return{type:"enclose",mode:e.mode,label:t,body:o}},mathmlBuilder:he}),S({type:"enclose",names:["\\textcircled"],props:{numArgs:1,
argTypes:["text"],allowedInArgument:!0,allowedInText:!0},handler({parser:e,funcName:t},r){let o=r[0];return{type:"enclose",mode:e.mode,label:t,body:o}},mathmlBuilder:he}),
S({type:"environment",names:["\\begin","\\end"],props:{numArgs:1,argTypes:["text"]},handler({parser:e,funcName:t},r){let o=r[0];if(o.type!=="ordgroup")throw new v(
"Invalid environment name",o);let s="";for(let i=0;i<o.body.length;++i)s+=C(o.body[i],"textord").text;if(t==="\\begin"){if(!Object.prototype.hasOwnProperty.call(
et,s))throw new v("No such environment: "+s,o);let i=et[s],{args:l,optArgs:c}=e.parseArguments("\\begin{"+s+"}",i),h={mode:e.mode,envName:s,parser:e},g=i.handler(
h,l,c);e.expect("\\end",!1);let A=e.nextToken,y=C(e.parseFunction(),"environment");if(y.name!==s)throw new v(`Mismatch: \\begin{${s}} matched by \\end{${y.name}\
}`,A);return g}return{type:"environment",mode:e.mode,name:s,nameGroup:o}}}),S({type:"envTag",names:["\\env@tag"],props:{numArgs:1,argTypes:["math"]},handler({parser:e},t){
return{type:"envTag",mode:e.mode,body:t[0]}},mathmlBuilder(e,t){return new p("mrow")}}),S({type:"noTag",names:["\\env@notag"],props:{numArgs:0},handler({parser:e}){
return{type:"noTag",mode:e.mode}},mathmlBuilder(e,t){return new p("mrow")}});var Jt=Object.freeze({B:8426,E:8427,F:8427,H:8387,I:8391,L:8390,M:8422,R:8393,e:8394,
g:8355,o:8389}),An=Object.freeze({C:8426,H:8388,I:8392,R:8394,Z:8398}),kn=Object.freeze({C:8383,H:8389,N:8391,P:8393,Q:8393,R:8395,Z:8394}),Qt=Object.freeze({"ϵ":119527,
ϑ:119564,ϰ:119534,φ:119577,ϱ:119535,ϖ:119563}),Sn=Object.freeze({"ϵ":119643,ϑ:119680,ϰ:119650,φ:119693,ϱ:119651,ϖ:119679}),er=Object.freeze({"ϵ":119701,
ϑ:119738,ϰ:119708,φ:119751,ϱ:119709,ϖ:119737}),qn=Object.freeze({"ϵ":119759,ϑ:119796,ϰ:119766,φ:119809,ϱ:119767,ϖ:119795}),_n=Object.freeze({upperCaseLatin:{
normal:e=>0,bold:e=>119743,italic:e=>119795,"bold-italic":e=>119847,script:e=>Jt[e]||119899,"script-bold":e=>119951,fraktur:e=>An[e]||120003,"fraktur-bold":e=>120107,
"double-struck":e=>kn[e]||120055,"sans-serif":e=>120159,"sans-serif-bold":e=>120211,"sans-serif-italic":e=>120263,"sans-serif-bold-italic":e=>120380,monospace:e=>120367},
lowerCaseLatin:{normal:e=>0,bold:e=>119737,italic:e=>e==="h"?8358:119789,"bold-italic":e=>119841,script:e=>Jt[e]||119893,"script-bold":e=>119945,fraktur:e=>119997,
"fraktur-bold":e=>120101,"double-struck":e=>120049,"sans-serif":e=>120153,"sans-serif-bold":e=>120205,"sans-serif-italic":e=>120257,"sans-serif-bold-italic":e=>120309,
monospace:e=>120361},upperCaseGreek:{normal:e=>0,bold:e=>119575,italic:e=>119633,"bold-italic":e=>119575,script:e=>0,"script-bold":e=>0,fraktur:e=>0,"fraktur-bo\
ld":e=>0,"double-struck":e=>0,"sans-serif":e=>119749,"sans-serif-bold":e=>119749,"sans-serif-italic":e=>0,"sans-serif-bold-italic":e=>119807,monospace:e=>0},lowerCaseGreek:{
normal:e=>0,bold:e=>119569,italic:e=>119627,"bold-italic":e=>e==="ϕ"?119678:119685,script:e=>0,"script-bold":e=>0,fraktur:e=>0,"fraktur-bold":e=>0,"double-stru\
ck":e=>0,"sans-serif":e=>119743,"sans-serif-bold":e=>119743,"sans-serif-italic":e=>0,"sans-serif-bold-italic":e=>119801,monospace:e=>0},varGreek:{normal:e=>0,bold:e=>Qt[e]||
-51,italic:e=>0,"bold-italic":e=>Sn[e]||58,script:e=>0,"script-bold":e=>0,fraktur:e=>0,"fraktur-bold":e=>0,"double-struck":e=>0,"sans-serif":e=>er[e]||116,"sans\
-serif-bold":e=>er[e]||116,"sans-serif-italic":e=>0,"sans-serif-bold-italic":e=>qn[e]||174,monospace:e=>0},numeral:{normal:e=>0,bold:e=>120734,italic:e=>0,"bold\
-italic":e=>0,script:e=>0,"script-bold":e=>0,fraktur:e=>0,"fraktur-bold":e=>0,"double-struck":e=>120744,"sans-serif":e=>120754,"sans-serif-bold":e=>120764,"sans\
-serif-italic":e=>0,"sans-serif-bold-italic":e=>0,monospace:e=>120774}}),pe=(e,t)=>{let r=e.codePointAt(0),o=64<r&&r<91?"upperCaseLatin":96<r&&r<123?"lowerCaseL\
atin":912<r&&r<938?"upperCaseGreek":944<r&&r<970||e==="ϕ"?"lowerCaseGreek":120545<r&&r<120572||Qt[e]?"varGreek":47<r&&r<58?"numeral":"other";return o==="other"?
e:String.fromCodePoint(r+_n[o][t](e))},Tn=Object.freeze({a:"ᴀ",b:"ʙ",c:"ᴄ",d:"ᴅ",e:"ᴇ",f:"ꜰ",g:"ɢ",h:"ʜ",i:"ɪ",j:"ᴊ",k:"ᴋ",l:"ʟ",m:"ᴍ",n:"ɴ",
o:"ᴏ",p:"ᴘ",q:"ǫ",r:"ʀ",s:"s",t:"ᴛ",u:"ᴜ",v:"ᴠ",w:"ᴡ",x:"x",y:"ʏ",z:"ᴢ"}),Cn=["mathrm","mathit"],Dn=(e,t)=>{if(!Cn.includes(t)||!e.body||e.body.
type!=="ordgroup"||e.body.body.length===1||e.body.body[0].type!=="mathord")return!1;for(let r=1;r<e.body.body.length;r++){let o=e.body.body[r].type;if(!(o==="ma\
thord"||o==="textord"&&!isNaN(e.body.body[r].text)))return!1}return!0},tr=(e,t)=>{let r=e.font,o=t.withFont(r),s=E(e.body,o);if(s.children.length===0)return s;if(r===
"boldsymbol"&&["mo","mpadded","mrow"].includes(s.type))return s.style.fontWeight="bold",s;if(Dn(e,r)){let c=s.children[0].children[0].children?s.children[0].children[0]:
s.children[0];delete c.attributes.mathvariant;for(let g=1;g<s.children.length;g++)c.children[0].text+=s.children[g].children[0].children?s.children[g].children[0].
children[0].text:s.children[g].children[0].text;if(r==="mathit")return c.children[0].text=c.children[0].text.split("").map(g=>pe(g,"italic")).join(""),c;let h=new p(
"mpadded",[c]);return h.setAttribute("lspace","0"),h}let i=s.children[0].type==="mo";for(let c=1;c<s.children.length;c++)s.children[c].type==="mo"&&r==="boldsym\
bol"&&(s.children[c].style.fontWeight="bold"),s.children[c].type!=="mi"&&(i=!1),(s.children[c].attributes&&s.children[c].attributes.mathvariant||"")!=="normal"&&
(i=!1);if(!i)return s;let l=s.children[0];for(let c=1;c<s.children.length;c++)l.children.push(s.children[c].children[0]);if(l.attributes.mathvariant&&l.attributes.
mathvariant==="normal"){let c=new p("mtext",new j("​"));return new p("mrow",[c,l])}return l},rr={"\\Bbb":"\\mathbb","\\bold":"\\mathbf","\\frak":"\\mathfrak",
"\\bm":"\\boldsymbol"};S({type:"font",names:["\\mathrm","\\mathit","\\mathbf","\\mathnormal","\\up@greek","\\boldsymbol","\\mathbb","\\mathcal","\\mathfrak","\\m\
athscr","\\mathsf","\\mathsfit","\\mathtt","\\Bbb","\\bm","\\bold","\\frak"],props:{numArgs:1,allowedInArgument:!0},handler:({parser:e,funcName:t},r)=>{let o=fe(
r[0]),s=t;return s in rr&&(s=rr[s]),{type:"font",mode:e.mode,font:s.slice(1),body:o}},mathmlBuilder:tr}),S({type:"font",names:["\\rm","\\sf","\\tt","\\bf","\\it",
"\\cal"],props:{numArgs:0,allowedInText:!0},handler:({parser:e,funcName:t,breakOnTokenText:r},o)=>{let{mode:s}=e,i=e.parseExpression(!0,r,!0),l=`math${t.slice(1)}`;
return{type:"font",mode:s,font:l,body:{type:"ordgroup",mode:e.mode,body:i}}},mathmlBuilder:tr});var nr=["display","text","script","scriptscript"],Bn={auto:-1,display:0,
text:0,script:1,scriptscript:2},On=(e,t)=>{let r=t;if(e==="display"){let o=r.level>=I.SCRIPT?I.TEXT:I.DISPLAY;r=r.withLevel(o)}else e==="text"&&r.level===I.DISPLAY?
r=r.withLevel(I.TEXT):e==="auto"?r=r.incrementLevel():e==="script"?r=r.withLevel(I.SCRIPT):e==="scriptscript"&&(r=r.withLevel(I.SCRIPTSCRIPT));return r},ot=(e,t)=>{
t=On(e.scriptLevel,t);let r=E(e.numer,t),o=E(e.denom,t);t.level===3&&(r.style.mathDepth="2",r.setAttribute("scriptlevel","2"),o.style.mathDepth="2",o.setAttribute(
"scriptlevel","2"));let s=new p("mfrac",[r,o]);if(!e.hasBarLine)s.setAttribute("linethickness","0px");else if(e.barSize){let i=Q(e.barSize,t);s.setAttribute("li\
nethickness",i.number+i.unit)}if(e.leftDelim!=null||e.rightDelim!=null){let i=[];if(e.leftDelim!=null){let l=new p("mo",[new j(e.leftDelim.replace("\\",""))]);l.
setAttribute("fence","true"),i.push(l)}if(i.push(s),e.rightDelim!=null){let l=new p("mo",[new j(e.rightDelim.replace("\\",""))]);l.setAttribute("fence","true"),
i.push(l)}s=be(i)}return e.scriptLevel!=="auto"&&(s=new p("mstyle",[s]),s.setAttribute("displaystyle",String(e.scriptLevel==="display")),s.setAttribute("scriptl\
evel",Bn[e.scriptLevel])),s};S({type:"genfrac",names:["\\cfrac","\\dfrac","\\frac","\\tfrac","\\dbinom","\\binom","\\tbinom","\\\\atopfrac","\\\\bracefrac","\\\\b\
rackfrac"],props:{numArgs:2,allowedInArgument:!0},handler:({parser:e,funcName:t},r)=>{let o=r[0],s=r[1],i=!1,l=null,c=null,h="auto";switch(t){case"\\cfrac":case"\
\\dfrac":case"\\frac":case"\\tfrac":i=!0;break;case"\\\\atopfrac":i=!1;break;case"\\dbinom":case"\\binom":case"\\tbinom":l="(",c=")";break;case"\\\\bracefrac":l=
"\\{",c="\\}";break;case"\\\\brackfrac":l="[",c="]";break;default:throw new Error("Unrecognized genfrac command")}return t==="\\cfrac"||t.startsWith("\\d")?h="d\
isplay":t.startsWith("\\t")&&(h="text"),{type:"genfrac",mode:e.mode,continued:!1,numer:o,denom:s,hasBarLine:i,leftDelim:l,rightDelim:c,scriptLevel:h,barSize:null}},
mathmlBuilder:ot}),S({type:"infix",names:["\\over","\\choose","\\atop","\\brace","\\brack"],props:{numArgs:0,infix:!0},handler({parser:e,funcName:t,token:r}){let o;
switch(t){case"\\over":o="\\frac";break;case"\\choose":o="\\binom";break;case"\\atop":o="\\\\atopfrac";break;case"\\brace":o="\\\\bracefrac";break;case"\\brack":
o="\\\\brackfrac";break;default:throw new Error("Unrecognized infix genfrac command")}return{type:"infix",mode:e.mode,replaceWith:o,token:r}}});var or=function(e){
let t=null;return e.length>0&&(t=e,t=t==="."?null:t),t};S({type:"genfrac",names:["\\genfrac"],props:{numArgs:6,allowedInArgument:!0,argTypes:["math","math","siz\
e","text","math","math"]},handler({parser:e},t){let r=t[4],o=t[5],s=fe(t[0]),i=s.type==="atom"&&s.family==="open"?or(s.text):null,l=fe(t[1]),c=l.type==="atom"&&
l.family==="close"?or(l.text):null,h=C(t[2],"size"),g,A=null;h.isBlank?g=!0:(A=h.value,g=A.number>0);let y="auto",x=t[3];if(x.type==="ordgroup"){if(x.body.length>
0){let _=C(x.body[0],"textord");y=nr[Number(_.text)]}}else x=C(x,"textord"),y=nr[Number(x.text)];return{type:"genfrac",mode:e.mode,numer:r,denom:o,continued:!1,
hasBarLine:g,barSize:A,leftDelim:i,rightDelim:c,scriptLevel:y}},mathmlBuilder:ot}),S({type:"infix",names:["\\above"],props:{numArgs:1,argTypes:["size"],infix:!0},
handler({parser:e,funcName:t,token:r},o){return{type:"infix",mode:e.mode,replaceWith:"\\\\abovefrac",barSize:C(o[0],"size").value,token:r}}}),S({type:"genfrac",
names:["\\\\abovefrac"],props:{numArgs:3,argTypes:["math","size","math"]},handler:({parser:e,funcName:t},r)=>{let o=r[0],s=$r(C(r[1],"infix").barSize),i=r[2],l=s.
number>0;return{type:"genfrac",mode:e.mode,numer:o,denom:i,continued:!1,hasBarLine:l,barSize:s,leftDelim:null,rightDelim:null,scriptLevel:"auto"}},mathmlBuilder:ot}),
S({type:"hbox",names:["\\hbox"],props:{numArgs:1,argTypes:["hbox"],allowedInArgument:!0,allowedInText:!1},handler({parser:e},t){return{type:"hbox",mode:e.mode,body:R(
t[0])}},mathmlBuilder(e,t){let r=t.withLevel(I.TEXT),o=ne(e.body,r);return Te(o)}});var $n=(e,t)=>{let r=Re(e.label);return r.style["math-depth"]=0,new p(e.isOver?
"mover":"munder",[E(e.base,t),r])};S({type:"horizBracket",names:["\\overbrace","\\underbrace","\\overbracket","\\underbracket"],props:{numArgs:1},handler({parser:e,
funcName:t},r){return{type:"horizBracket",mode:e.mode,label:t,isOver:/^\\over/.test(t),base:r[0]}},mathmlBuilder:$n}),S({type:"html",names:["\\class","\\id","\\s\
tyle","\\data"],props:{numArgs:2,argTypes:["raw","original"],allowedInText:!0},handler:({parser:e,funcName:t,token:r},o)=>{let s=C(o[0],"raw").string,i=o[1];if(e.
settings.strict)throw new v(`Function "${t}" is disabled in strict mode`,r);let l,c={};switch(t){case"\\class":c.class=s,l={command:"\\class",class:s};break;case"\
\\id":c.id=s,l={command:"\\id",id:s};break;case"\\style":c.style=s,l={command:"\\style",style:s};break;case"\\data":{let h=s.split(",");for(let g=0;g<h.length;g++){
let A=h[g].split("=");if(A.length!==2)throw new v("Error parsing key-value for \\data");c["data-"+A[0].trim()]=A[1].trim()}l={command:"\\data",attributes:c};break}default:
throw new Error("Unrecognized html command")}if(!e.settings.isTrusted(l))throw new v(`Function "${t}" is not trusted`,r);return{type:"html",mode:e.mode,attributes:c,
body:R(i)}},mathmlBuilder:(e,t)=>{let r=ne(e.body,t),o=[];e.attributes.class&&o.push(...e.attributes.class.trim().split(/\s+/)),r.classes=o;for(let s in e.attributes)
s!=="class"&&Object.prototype.hasOwnProperty.call(e.attributes,s)&&r.setAttribute(s,e.attributes[s]);return r}});var at=function(e){if(/^[-+]? *(\d+(\.\d*)?|\.\d+)$/.
test(e))return{number:+e,unit:"bp"};{let t=/([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/.exec(e);if(!t)throw new v("Invalid size: '"+e+"' in \\includegraphics");
let r={number:+(t[1]+t[2]),unit:t[3]};if(!qt(r))throw new v("Invalid unit: '"+r.unit+"' in \\includegraphics.");return r}};S({type:"includegraphics",names:["\\in\
cludegraphics"],props:{numArgs:1,numOptionalArgs:1,argTypes:["raw","url"],allowedInText:!1},handler:({parser:e,token:t},r,o)=>{let s={number:0,unit:"em"},i={number:.9,
unit:"em"},l={number:0,unit:"em"},c="";if(o[0]){let A=C(o[0],"raw").string.split(",");for(let y=0;y<A.length;y++){let x=A[y].split("=");if(x.length===2){let _=x[1].
trim();switch(x[0].trim()){case"alt":c=_;break;case"width":s=at(_);break;case"height":i=at(_);break;case"totalheight":l=at(_);break;default:throw new v("Invalid\
 key: '"+x[0]+"' in \\includegraphics.")}}}}let h=C(r[0],"url").url;if(c===""&&(c=h,c=c.replace(/^.*[\\/]/,""),c=c.substring(0,c.lastIndexOf("."))),!e.settings.
isTrusted({command:"\\includegraphics",url:h}))throw new v('Function "\\includegraphics" is not trusted',t);return{type:"includegraphics",mode:e.mode,alt:c,width:s,
height:i,totalheight:l,src:h}},mathmlBuilder:(e,t)=>{let r=Q(e.height,t),o={number:0,unit:"em"};e.totalheight.number>0&&e.totalheight.unit===r.unit&&e.totalheight.
number>r.number&&(o.number=e.totalheight.number-r.number,o.unit=r.unit);let s=0;e.width.number>0&&(s=Q(e.width,t));let i={height:r.number+o.number+"em"};s.number>
0&&(i.width=s.number+s.unit),o.number>0&&(i.verticalAlign=-o.number+o.unit);let l=new Mr(e.src,e.alt,i);return l.height=r,l.depth=o,new p("mtext",[l])}}),S({type:"\
kern",names:["\\kern","\\mkern","\\hskip","\\mskip"],props:{numArgs:1,argTypes:["size"],primitive:!0,allowedInText:!0},handler({parser:e,funcName:t,token:r},o){
let s=C(o[0],"size");if(e.settings.strict){let i=t[1]==="m",l=s.value.unit==="mu";if(i){if(!l)throw new v(`LaTeX's ${t} supports only mu units, not ${s.value.unit}\
 units`,r);if(e.mode!=="math")throw new v(`LaTeX's ${t} works only in math mode`,r)}else if(l)throw new v(`LaTeX's ${t} doesn't support mu units`,r)}return{type:"\
kern",mode:e.mode,dimension:s.value}},mathmlBuilder(e,t){let r=Q(e.dimension,t),o=r.number>0&&r.unit==="em"?ar(r.number):"";if(e.mode==="text"&&o.length>0){let s=new j(
o);return new p("mtext",[s])}else if(r.number>=0){let s=new p("mspace");return s.setAttribute("width",r.number+r.unit),s}else{let s=new p("mrow");return s.style.
marginLeft=r.number+r.unit,s}}});var ar=function(e){return e>=.05555&&e<=.05556?" ":e>=.1666&&e<=.1667?" ":e>=.2222&&e<=.2223?" ":e>=.2777&&e<=.2778?"  ":
""},sr=/[^A-Za-z_0-9-]/g;S({type:"label",names:["\\label"],props:{numArgs:1,argTypes:["raw"]},handler({parser:e},t){return{type:"label",mode:e.mode,string:t[0].
string.replace(sr,"")}},mathmlBuilder(e,t){let r=new p("mrow",[],["tml-label"]);return e.string.length>0&&r.setLabel(e.string),r}});var En=["\\clap","\\llap","\\\
rlap"];S({type:"lap",names:["\\mathllap","\\mathrlap","\\mathclap","\\clap","\\llap","\\rlap"],props:{numArgs:1,allowedInText:!0},handler:({parser:e,funcName:t,
token:r},o)=>{if(En.includes(t)){if(e.settings.strict&&e.mode!=="text")throw new v(`{${t}} can be used only in text mode.
 Try \\math${t.slice(1)}`,r);t=t.slice(1)}else t=t.slice(5);let s=o[0];return{type:"lap",mode:e.mode,alignment:t,body:s}},mathmlBuilder:(e,t)=>{let r;if(e.alignment===
"llap"){let i=U(R(e.body),t),l=new p("mphantom",i);r=new p("mpadded",[l]),r.setAttribute("width","0.1px")}let o=E(e.body,t),s;if(e.alignment==="llap"?(o.style.position=
"absolute",o.style.right="0",o.style.bottom="0",s=new p("mpadded",[r,o])):s=new p("mpadded",[o]),e.alignment==="rlap")e.body.body.length>0&&e.body.body[0].type===
"genfrac"&&s.setAttribute("lspace","0.16667em");else{let i=e.alignment==="llap"?"-1":"-0.5";s.setAttribute("lspace",i+"width"),e.alignment==="llap"?s.style.position=
"relative":(s.style.display="flex",s.style.justifyContent="center")}return s.setAttribute("width","0.1px"),s}}),S({type:"ordgroup",names:["\\(","$"],props:{numArgs:0,
allowedInText:!0,allowedInMath:!1},handler({funcName:e,parser:t},r){let o=t.mode;t.switchMode("math");let s=e==="\\("?"\\)":"$",i=t.parseExpression(!1,s);return t.
expect(s),t.switchMode(o),{type:"ordgroup",mode:t.mode,body:i}}}),S({type:"text",names:["\\)","\\]"],props:{numArgs:0,allowedInText:!0,allowedInMath:!1},handler(e,t){
throw new v(`Mismatched ${e.funcName}`,t)}});var Ln=(e,t)=>{switch(t.level){case I.DISPLAY:return e.display;case I.TEXT:return e.text;case I.SCRIPT:return e.script;case I.
SCRIPTSCRIPT:return e.scriptscript;default:return e.text}};S({type:"mathchoice",names:["\\mathchoice"],props:{numArgs:4,primitive:!0},handler:({parser:e},t)=>({
type:"mathchoice",mode:e.mode,display:R(t[0]),text:R(t[1]),script:R(t[2]),scriptscript:R(t[3])}),mathmlBuilder:(e,t)=>{let r=Ln(e,t);return ne(r,t)}});var zn=["\
text","textord","mathord","atom"];function ir(e,t){let r,o=U(e.body,t);if(e.mclass==="minner")r=new p("mpadded",o);else if(e.mclass==="mord")e.isCharacterBox||o[0].
type==="mathord"?(r=o[0],r.type="mi",r.children.length===1&&r.children[0].text&&r.children[0].text==="∇"&&r.setAttribute("mathvariant","normal")):r=new p("mi",
o);else{r=new p("mrow",o),e.mustPromote?(r=o[0],r.type="mo",e.isCharacterBox&&e.body[0].text&&/[A-Za-z]/.test(e.body[0].text)&&r.setAttribute("mathvariant","ita\
lic")):r=new p("mrow",o);let s=t.level<2;r.type==="mrow"?s&&(e.mclass==="mbin"?(r.children.unshift(G(.2222)),r.children.push(G(.2222))):e.mclass==="mrel"?(r.children.
unshift(G(.2778)),r.children.push(G(.2778))):e.mclass==="mpunct"?r.children.push(G(.1667)):e.mclass==="minner"&&(r.children.unshift(G(.0556)),r.children.push(G(
.0556)))):e.mclass==="mbin"?(r.attributes.lspace=s?"0.2222em":"0",r.attributes.rspace=s?"0.2222em":"0"):e.mclass==="mrel"?(r.attributes.lspace=s?"0.2778em":"0",
r.attributes.rspace=s?"0.2778em":"0"):e.mclass==="mpunct"?(r.attributes.lspace="0em",r.attributes.rspace=s?"0.1667em":"0"):e.mclass==="mopen"||e.mclass==="mclos\
e"?(r.attributes.lspace="0em",r.attributes.rspace="0em"):e.mclass==="minner"&&s&&(r.attributes.lspace="0.0556em",r.attributes.width="+0.1111em"),e.mclass==="mop\
en"||e.mclass==="mclose"||(delete r.attributes.stretchy,delete r.attributes.form)}return r}S({type:"mclass",names:["\\mathord","\\mathbin","\\mathrel","\\mathope\
n","\\mathclose","\\mathpunct","\\mathinner"],props:{numArgs:1,primitive:!0},handler({parser:e,funcName:t},r){let o=r[0],s=Se(o),i=!0,l={type:"mathord",text:"",
mode:e.mode},c=o.body?o.body:[o];for(let h of c)if(zn.includes(h.type))F[e.mode][h.text]?l.text+=F[e.mode][h.text].replace:h.text?l.text+=h.text:h.body&&h.body.
map(g=>{l.text+=g.text});else{i=!1;break}return i&&t==="\\mathord"&&l.type==="mathord"&&l.text.length>1?l:{type:"mclass",mode:e.mode,mclass:"m"+t.slice(5),body:R(
i?l:o),isCharacterBox:s,mustPromote:i}},mathmlBuilder:ir});var lr=e=>{let t=e.type==="ordgroup"&&e.body.length&&e.body.length===1?e.body[0]:e;if(t.type==="atom"){
let r=e.body.length>0&&e.body[0].text&&F.math[e.body[0].text]?F.math[e.body[0].text].group:t.family;return r==="bin"||r==="rel"?"m"+r:"mord"}else return"mord"};
S({type:"mclass",names:["\\@binrel"],props:{numArgs:2},handler({parser:e},t){return{type:"mclass",mode:e.mode,mclass:lr(t[0]),body:R(t[1]),isCharacterBox:Se(t[1])}}}),
S({type:"mclass",names:["\\stackrel","\\overset","\\underset"],props:{numArgs:2},handler({parser:e,funcName:t},r){let o=r[1],s=r[0],i;t!=="\\stackrel"?i=lr(o):i=
"mrel";let c={type:i==="mrel"||i==="mbin"?"op":"ordgroup",mode:o.mode,limits:!0,alwaysHandleSupSub:!0,parentIsSupSub:!1,symbol:!1,suppressBaseShift:t!=="\\stackr\
el",body:R(o)};return{type:"supsub",mode:s.mode,stack:!0,base:c,sup:t==="\\underset"?null:s,sub:t==="\\underset"?s:null}},mathmlBuilder:ir});var Le=(e,t,r)=>{if(!e)
return r;let o=E(e,t);return o.type==="mrow"&&o.children.length===0?r:o};S({type:"multiscript",names:["\\sideset","\\pres@cript"],props:{numArgs:3},handler({parser:e,
funcName:t,token:r},o){if(o[2].body.length===0)throw new v(t+"cannot parse an empty base.");let s=o[2].body[0];if(e.settings.strict&&t==="\\sideset"&&!s.symbol)
throw new v("The base of \\sideset must be a big operator. Try \\prescript.");if(o[0].body.length>0&&o[0].body[0].type!=="supsub"||o[1].body.length>0&&o[1].body[0].
type!=="supsub")throw new v("\\sideset can parse only subscripts and superscripts in its first two arguments",r);let i=o[0].body.length>0?o[0].body[0]:null,l=o[1].
body.length>0?o[1].body[0]:null;return!i&&!l?s:i?{type:"multiscript",mode:e.mode,isSideset:t==="\\sideset",prescripts:i,postscripts:l,base:s}:{type:"styling",mode:e.
mode,scriptLevel:"text",body:[{type:"supsub",mode:e.mode,base:s,sup:l.sup,sub:l.sub}]}},mathmlBuilder(e,t){let r=E(e.base,t),o=new p("mprescripts"),s=new p("non\
e"),i=[],l=Le(e.prescripts.sub,t,s),c=Le(e.prescripts.sup,t,s);if(e.isSideset&&(l.setAttribute("style","text-align: left;"),c.setAttribute("style","text-align: \
left;")),e.postscripts){let h=Le(e.postscripts.sub,t,s),g=Le(e.postscripts.sup,t,s);i=[r,h,g,o,l,c]}else i=[r,o,l,c];return new p("mmultiscripts",i)}}),S({type:"\
not",names:["\\not"],props:{numArgs:1,primitive:!0,allowedInText:!1},handler({parser:e},t){let r=Se(t[0]),o;return r?(o=R(t[0]),o[0].text.charAt(0)==="\\"&&(o[0].
text=F.math[o[0].text].replace),o[0].text=o[0].text.slice(0,1)+"̸"+o[0].text.slice(1)):o=[{type:"textord",mode:"math",text:"̸"},{type:"kern",mode:"math",dimension:{
number:-.6,unit:"em"}},t[0]],{type:"not",mode:e.mode,body:o,isCharacterBox:r}},mathmlBuilder(e,t){return e.isCharacterBox?U(e.body,t,!0)[0]:ne(e.body,t)}});var In=[
"textord","mathord","atom"],Fn=["\\smallint"],st=["textord","mathord","ordgroup","close","leftright","font"],ur=e=>{e.attributes.lspace="0.1667em",e.attributes.
rspace="0.1667em"},ve=(e,t)=>{let r;if(e.symbol)r=new p("mo",[H(e.name,e.mode)]),Fn.includes(e.name)?r.setAttribute("largeop","false"):r.setAttribute("movableli\
mits","false"),e.fromMathOp&&ur(r);else if(e.body)r=new p("mo",U(e.body,t)),e.fromMathOp&&ur(r);else if(r=new p("mi",[new j(e.name.slice(1))]),!e.parentIsSupSub){
let o=new p("mo",[H("⁡","text")]),s=[r,o];if(e.needsLeadingSpace){let i=new p("mspace");i.setAttribute("width","0.1667em"),s.unshift(i)}if(!e.isFollowedByDelimiter){
let i=new p("mspace");i.setAttribute("width","0.1667em"),s.push(i)}r=new p("mrow",s)}return r},Nn={"∏":"\\prod","∐":"\\coprod","∑":"\\sum","⋀":"\\bigwedg\
e","⋁":"\\bigvee","⋂":"\\bigcap","⋃":"\\bigcup","⨀":"\\bigodot","⨁":"\\bigoplus","⨂":"\\bigotimes","⨄":"\\biguplus","⨅":"\\bigsqcap","⨆":"\\big\
sqcup","⨃":"\\bigcupdot","⨇":"\\bigdoublevee","⨈":"\\bigdoublewedge","⨉":"\\bigtimes"};S({type:"op",names:["\\coprod","\\bigvee","\\bigwedge","\\biguplus",
"\\bigcupplus","\\bigcupdot","\\bigcap","\\bigcup","\\bigdoublevee","\\bigdoublewedge","\\intop","\\prod","\\sum","\\bigotimes","\\bigoplus","\\bigodot","\\bigsq\
cap","\\bigsqcup","\\bigtimes","\\smallint","∏","∐","∑","⋀","⋁","⋂","⋃","⨀","⨁","⨂","⨃","⨄","⨅","⨆","⨇","⨈","⨉"],props:{numArgs:0},
handler:({parser:e,funcName:t},r)=>{let o=t;return o.length===1&&(o=Nn[o]),{type:"op",mode:e.mode,limits:!0,parentIsSupSub:!1,symbol:!0,stack:!1,name:o}},mathmlBuilder:ve}),
S({type:"op",names:["\\mathop"],props:{numArgs:1,primitive:!0},handler:({parser:e},t)=>{let r=t[0],o=r.body?r.body:[r],s=o.length===1&&In.includes(o[0].type);return{
type:"op",mode:e.mode,limits:!0,parentIsSupSub:!1,symbol:s,fromMathOp:!0,stack:!1,name:s?o[0].text:null,body:s?null:R(r)}},mathmlBuilder:ve});var Pn={"∫":"\\in\
t","∬":"\\iint","∭":"\\iiint","∮":"\\oint","∯":"\\oiint","∰":"\\oiiint","∱":"\\intclockwise","∲":"\\varointclockwise","⨌":"\\iiiint","⨍":"\\int\
bar","⨎":"\\intBar","⨏":"\\fint","⨒":"\\rppolint","⨓":"\\scpolint","⨕":"\\pointint","⨖":"\\sqint","⨗":"\\intlarhk","⨘":"\\intx","⨙":"\\intcap",
"⨚":"\\intcup"};S({type:"op",names:["\\arcsin","\\arccos","\\arctan","\\arctg","\\arcctg","\\arg","\\ch","\\cos","\\cosec","\\cosh","\\cot","\\cotg","\\coth",
"\\csc","\\ctg","\\cth","\\deg","\\dim","\\exp","\\hom","\\ker","\\lg","\\ln","\\log","\\sec","\\sin","\\sinh","\\sh","\\sgn","\\tan","\\tanh","\\tg","\\th"],props:{
numArgs:0},handler({parser:e,funcName:t}){let r=e.prevAtomType,o=e.gullet.future().text;return{type:"op",mode:e.mode,limits:!1,parentIsSupSub:!1,symbol:!1,stack:!1,
isFollowedByDelimiter:$e(o),needsLeadingSpace:r.length>0&&st.includes(r),name:t}},mathmlBuilder:ve}),S({type:"op",names:["\\det","\\gcd","\\inf","\\lim","\\max",
"\\min","\\Pr","\\sup"],props:{numArgs:0},handler({parser:e,funcName:t}){let r=e.prevAtomType,o=e.gullet.future().text;return{type:"op",mode:e.mode,limits:!0,parentIsSupSub:!1,
symbol:!1,stack:!1,isFollowedByDelimiter:$e(o),needsLeadingSpace:r.length>0&&st.includes(r),name:t}},mathmlBuilder:ve}),S({type:"op",names:["\\int","\\iint","\\i\
iint","\\iiiint","\\oint","\\oiint","\\oiiint","\\intclockwise","\\varointclockwise","\\intbar","\\intBar","\\fint","\\rppolint","\\scpolint","\\pointint","\\sqi\
nt","\\intlarhk","\\intx","\\intcap","\\intcup","∫","∬","∭","∮","∯","∰","∱","∲","⨌","⨍","⨎","⨏","⨒","⨓","⨕","⨖","⨗","⨘","⨙",
"⨚"],props:{numArgs:0,allowedInArgument:!0},handler({parser:e,funcName:t}){let r=t;return r.length===1&&(r=Pn[r]),{type:"op",mode:e.mode,limits:!1,parentIsSupSub:!1,
symbol:!0,stack:!1,name:r}},mathmlBuilder:ve});var Mn=(e,t)=>{let r=U(e.body,t.withFont("mathrm")),o=!0;for(let i=0;i<r.length;i++){let l=r[i];if(l instanceof p)
switch(((l.type==="mrow"||l.type==="mpadded")&&l.children.length===1&&l.children[0]instanceof p||l.type==="mrow"&&l.children.length===2&&l.children[0]instanceof
p&&l.children[1]instanceof p&&l.children[1].type==="mspace"&&!l.children[1].attributes.width&&l.children[1].children.length===0)&&(l=l.children[0]),l.type){case"\
mi":case"mn":case"ms":case"mtext":break;case"mspace":if(l.attributes.width){let c=l.attributes.width.replace("em",""),h=ar(Number(c));h===""?o=!1:r[i]=new p("mt\
ext",[new j(h)])}break;case"mo":{let c=l.children[0];l.children.length===1&&c instanceof j?c.text=c.text.replace(/\u2212/,"-").replace(/\u2217/,"*"):o=!1;break}default:
o=!1}else o=!1}if(o){let i=r.map(l=>l.toText()).join("");r=[new j(i)]}else if(r.length===1&&["mover","munder"].includes(r[0].type)&&(r[0].children[0].type==="mi"||
r[0].children[0].type==="mtext")){if(r[0].children[0].type="mi",e.parentIsSupSub)return new p("mrow",r);{let i=new p("mo",[H("⁡","text")]);return ae([r[0],i])}}
let s;if(o?(s=new p("mi",r),r[0].text.length===1&&s.setAttribute("mathvariant","normal")):s=new p("mrow",r),!e.parentIsSupSub){let i=new p("mo",[H("⁡","text")]),
l=[s,i];if(e.needsLeadingSpace){let c=new p("mspace");c.setAttribute("width","0.1667em"),l.unshift(c)}if(!e.isFollowedByDelimiter){let c=new p("mspace");c.setAttribute(
"width","0.1667em"),l.push(c)}return ae(l)}return s};S({type:"operatorname",names:["\\operatorname@","\\operatornamewithlimits"],props:{numArgs:1,allowedInArgument:!0},
handler:({parser:e,funcName:t},r)=>{let o=r[0],s=e.prevAtomType,i=e.gullet.future().text;return{type:"operatorname",mode:e.mode,body:R(o),alwaysHandleSupSub:t===
"\\operatornamewithlimits",limits:!1,parentIsSupSub:!1,isFollowedByDelimiter:$e(i),needsLeadingSpace:s.length>0&&st.includes(s)}},mathmlBuilder:Mn}),u("\\operato\
rname","\\@ifstar\\operatornamewithlimits\\operatorname@"),oe({type:"ordgroup",mathmlBuilder(e,t){return ne(e.body,t,e.semisimple)}}),S({type:"phantom",names:["\
\\phantom"],props:{numArgs:1,allowedInText:!0},handler:({parser:e},t)=>{let r=t[0];return{type:"phantom",mode:e.mode,body:R(r)}},mathmlBuilder:(e,t)=>{let r=U(e.
body,t);return new p("mphantom",r)}}),S({type:"hphantom",names:["\\hphantom"],props:{numArgs:1,allowedInText:!0},handler:({parser:e},t)=>{let r=t[0];return{type:"\
hphantom",mode:e.mode,body:r}},mathmlBuilder:(e,t)=>{let r=U(R(e.body),t),o=new p("mphantom",r),s=new p("mpadded",[o]);return s.setAttribute("height","0px"),s.setAttribute(
"depth","0px"),s}}),S({type:"vphantom",names:["\\vphantom"],props:{numArgs:1,allowedInText:!0},handler:({parser:e},t)=>{let r=t[0];return{type:"vphantom",mode:e.
mode,body:r}},mathmlBuilder:(e,t)=>{let r=U(R(e.body),t),o=new p("mphantom",r),s=new p("mpadded",[o]);return s.setAttribute("width","0.1px"),s}}),S({type:"pmb",
names:["\\pmb"],props:{numArgs:1,allowedInText:!0},handler({parser:e},t){return{type:"pmb",mode:e.mode,body:R(t[0])}},mathmlBuilder(e,t){let r=U(e.body,t),o=Ge(
r);return o.setAttribute("style","font-weight:bold"),o}});var cr=(e,t)=>{let r=t.withLevel(I.TEXT),o=new p("mpadded",[E(e.body,r)]),s=Q(e.dy,t);return o.setAttribute(
"voffset",s.number+s.unit),s.number>0?o.style.padding=s.number+s.unit+" 0 0 0":o.style.padding="0 0 "+Math.abs(s.number)+s.unit+" 0",o};S({type:"raise",names:["\
\\raise","\\lower"],props:{numArgs:2,argTypes:["size","primitive"],primitive:!0},handler({parser:e,funcName:t},r){let o=C(r[0],"size").value;t==="\\lower"&&(o.number*=
-1);let s=r[1];return{type:"raise",mode:e.mode,dy:o,body:s}},mathmlBuilder:cr}),S({type:"raise",names:["\\raisebox"],props:{numArgs:2,argTypes:["size","hbox"],allowedInText:!0},
handler({parser:e,funcName:t},r){let o=C(r[0],"size").value,s=r[1];return{type:"raise",mode:e.mode,dy:o,body:s}},mathmlBuilder:cr}),S({type:"ref",names:["\\ref",
"\\eqref"],props:{numArgs:1,argTypes:["raw"]},handler({parser:e,funcName:t},r){return{type:"ref",mode:e.mode,funcName:t,string:r[0].string.replace(sr,"")}},mathmlBuilder(e,t){
let r=e.funcName==="\\ref"?["tml-ref"]:["tml-ref","tml-eqref"];return new ft("#"+e.string,r,null)}}),S({type:"reflect",names:["\\reflectbox"],props:{numArgs:1,argTypes:[
"hbox"],allowedInText:!0},handler({parser:e},t){return{type:"reflect",mode:e.mode,body:t[0]}},mathmlBuilder(e,t){let r=E(e.body,t);return r.style.transform="sca\
leX(-1)",r}}),S({type:"internal",names:["\\relax"],props:{numArgs:0,allowedInText:!0,allowedInArgument:!0},handler({parser:e}){return{type:"internal",mode:e.mode}}}),
S({type:"rule",names:["\\rule"],props:{numArgs:2,numOptionalArgs:1,allowedInText:!0,allowedInMath:!0,argTypes:["size","size","size"]},handler({parser:e},t,r){let o=r[0],
s=C(t[0],"size"),i=C(t[1],"size");return{type:"rule",mode:e.mode,shift:o&&C(o,"size").value,width:s.value,height:i.value}},mathmlBuilder(e,t){let r=Q(e.width,t),
o=Q(e.height,t),s=e.shift?Q(e.shift,t):{number:0,unit:"em"},i=t.color&&t.getColor()||"black",l=new p("mspace");if(r.number>0&&o.number>0&&l.setAttribute("mathba\
ckground",i),l.setAttribute("width",r.number+r.unit),l.setAttribute("height",o.number+o.unit),s.number===0)return l;let c=new p("mpadded",[l]);return s.number>=
0?c.setAttribute("height","+"+s.number+s.unit):(c.setAttribute("height",s.number+s.unit),c.setAttribute("depth","+"+-s.number+s.unit)),c.setAttribute("voffset",
s.number+s.unit),c}});var dr=/^[0-9]$/,Gn={0:"₀",1:"₁",2:"₂",3:"₃",4:"₄",5:"₅",6:"₆",7:"₇",8:"₈",9:"₉"},Rn={0:"⁰",1:"¹",2:"²",3:"³",4:"\
⁴",5:"⁵",6:"⁶",7:"⁷",8:"⁸",9:"⁹"};S({type:"sfrac",names:["\\sfrac"],props:{numArgs:2,allowedInText:!0,allowedInMath:!0},handler({parser:e},t){let r="";
for(let s of t[0].body){if(s.type!=="textord"||!dr.test(s.text))throw new v("Numerator must be an integer.",s);r+=s.text}let o="";for(let s of t[1].body){if(s.type!==
"textord"||!dr.test(s.text))throw new v("Denominator must be an integer.",s);o+=s.text}return{type:"sfrac",mode:e.mode,numerator:r,denominator:o}},mathmlBuilder(e,t){
let r=e.numerator.split("").map(i=>Rn[i]).join(""),o=e.denominator.split("").map(i=>Gn[i]).join(""),s=new j(r+"⁄"+o,e.mode,t);return new p("mn",[s],["special-\
fraction"])}});var mr={"\\tiny":.5,"\\sixptsize":.6,"\\Tiny":.6,"\\scriptsize":.7,"\\footnotesize":.8,"\\small":.9,"\\normalsize":1,"\\large":1.2,"\\Large":1.44,
"\\LARGE":1.728,"\\huge":2.074,"\\Huge":2.488};S({type:"sizing",names:["\\tiny","\\sixptsize","\\Tiny","\\scriptsize","\\footnotesize","\\small","\\normalsize",
"\\large","\\Large","\\LARGE","\\huge","\\Huge"],props:{numArgs:0,allowedInText:!0},handler:({breakOnTokenText:e,funcName:t,parser:r},o)=>{r.settings.strict&&r.
mode==="math"&&console.log(`Temml strict-mode warning: Command ${t} is invalid in math mode.`);let s=r.parseExpression(!1,e,!0);return{type:"sizing",mode:r.mode,
funcName:t,body:s}},mathmlBuilder:(e,t)=>{let r=t.withFontSize(mr[e.funcName]),o=U(e.body,r),s=Ge(o),i=(mr[e.funcName]/t.fontSize).toFixed(4);return s.setAttribute(
"mathsize",i+"em"),s}}),S({type:"smash",names:["\\smash"],props:{numArgs:1,numOptionalArgs:1,allowedInText:!0},handler:({parser:e},t,r)=>{let o=!1,s=!1,i=r[0]&&
C(r[0],"ordgroup");if(i){let c="";for(let h=0;h<i.body.length;++h)if(c=i.body[h].text,c==="t")o=!0;else if(c==="b")s=!0;else{o=!1,s=!1;break}}else o=!0,s=!0;let l=t[0];
return{type:"smash",mode:e.mode,body:l,smashHeight:o,smashDepth:s}},mathmlBuilder:(e,t)=>{let r=new p("mpadded",[E(e.body,t)]);return e.smashHeight&&r.setAttribute(
"height","0px"),e.smashDepth&&r.setAttribute("depth","0px"),r}});var jn=["a","c","e","ı","m","n","o","r","s","u","v","w","x","z","α","ε","ι","κ","ν","ο",
"π","σ","τ","υ","ω","\\alpha","\\epsilon","\\iota","\\kappa","\\nu","\\omega","\\pi","\\tau","\\omega"];S({type:"sqrt",names:["\\sqrt"],props:{numArgs:1,numOptionalArgs:1},
handler({parser:e},t,r){let o=r[0],s=t[0];return s.body&&s.body.length===1&&s.body[0].text&&jn.includes(s.body[0].text)&&s.body.push({type:"rule",mode:"math",shift:null,
width:{number:0,unit:"pt"},height:{number:.5,unit:"em"}}),{type:"sqrt",mode:e.mode,body:s,index:o}},mathmlBuilder(e,t){let{body:r,index:o}=e;return o?new p("mro\
ot",[E(r,t),E(o,t.incrementLevel())]):new p("msqrt",[E(r,t)])}});var Un={display:0,text:1,script:2,scriptscript:3},Vn={display:["0","true"],text:["0","false"],script:[
"1","false"],scriptscript:["2","false"]};S({type:"styling",names:["\\displaystyle","\\textstyle","\\scriptstyle","\\scriptscriptstyle"],props:{numArgs:0,allowedInText:!0,
primitive:!0},handler({breakOnTokenText:e,funcName:t,parser:r},o){let s=r.parseExpression(!0,e,!0),i=t.slice(1,t.length-5);return{type:"styling",mode:r.mode,scriptLevel:i,
body:s}},mathmlBuilder(e,t){let r=t.withLevel(Un[e.scriptLevel]),o=U(e.body,r),s=Ge(o),i=Vn[e.scriptLevel];return s.setAttribute("scriptlevel",i[0]),s.setAttribute(
"displaystyle",i[1]),s}});var Wn=/^m(over|under|underover)$/,Hn="DHKLUcegorsuvxyzΠΥΨαδηιμνοτυχϵ",Zn="BCEFGIMNOPQRSTXZlpqtwΓΘΞΣΦΩβεζθξρςφψϑϕϱ",
Xn="AJdfΔΛ";oe({type:"supsub",mathmlBuilder(e,t){let r=!1,o,s,i=!1,l=!1,c=!1;e.base&&e.base.type==="horizBracket"&&(s=!!e.sup,s===e.base.isOver&&(r=!0,o=e.base.
isOver)),e.base&&!e.stack&&(e.base.type==="op"||e.base.type==="operatorname")&&(e.base.parentIsSupSub=!0,i=!e.base.symbol,l=i&&!e.isFollowedByDelimiter,c=e.base.
needsLeadingSpace);let h=e.stack&&e.base.body.length===1?[E(e.base.body[0],t)]:[E(e.base,t)],g=t.inSubOrSup();if(e.sub){let x=E(e.sub,g);t.level===3&&x.setAttribute(
"scriptlevel","2"),h.push(x)}if(e.sup){let x=E(e.sup,g);if(t.level===3&&x.setAttribute("scriptlevel","2"),e.base&&e.base.text&&e.base.text.length===1){let _=e.base.
text;Hn.indexOf(_)>-1?x.classes.push("tml-sml-pad"):Zn.indexOf(_)>-1?x.classes.push("tml-med-pad"):Xn.indexOf(_)>-1&&x.classes.push("tml-lrg-pad")}h.push(x)}let A;
if(r)A=o?"mover":"munder";else if(e.sub)if(e.sup){let x=e.base;x&&(x.type==="op"&&x.limits||x.type==="multiscript")&&(t.level===I.DISPLAY||x.alwaysHandleSupSub)||
x&&x.type==="operatorname"&&x.alwaysHandleSupSub&&(t.level===I.DISPLAY||x.limits)?A="munderover":A="msubsup"}else{let x=e.base;e.stack||x&&x.type==="op"&&x.limits&&
(t.level===I.DISPLAY||x.alwaysHandleSupSub)||x&&x.type==="operatorname"&&x.alwaysHandleSupSub&&(x.limits||t.level===I.DISPLAY)?A="munder":A="msub"}else{let x=e.
base;x&&x.type==="op"&&x.limits&&(t.level===I.DISPLAY||x.alwaysHandleSupSub)||x&&x.type==="operatorname"&&x.alwaysHandleSupSub&&(x.limits||t.level===I.DISPLAY)?
A="mover":A="msup"}let y=new p(A,h);if(i){let x=new p("mo",[H("⁡","text")]);if(c){let _=new p("mspace");_.setAttribute("width","0.1667em"),y=ae([_,y,x])}else y=
ae([y,x]);if(l){let _=new p("mspace");_.setAttribute("width","0.1667em"),y.children.push(_)}}else Wn.test(A)&&(y=new p("mrow",[y]));return y}});var Yn=["\\shortm\
id","\\nshortmid","\\shortparallel","\\nshortparallel","\\smallsetminus"],Kn=["\\Rsh","\\Lsh","\\restriction"],Jn=e=>{if(e.length===1){let t=e.codePointAt(0);return 8591<
t&&t<8704}return e.indexOf("arrow")>-1||e.indexOf("harpoon")>-1||Kn.includes(e)};oe({type:"atom",mathmlBuilder(e,t){let r=new p("mo",[H(e.text,e.mode)]);if(e.family===
"punct")r.setAttribute("separator","true");else if(e.family==="open"||e.family==="close")e.family==="open"?(r.setAttribute("form","prefix"),r.setAttribute("stre\
tchy","false")):e.family==="close"&&(r.setAttribute("form","postfix"),r.setAttribute("stretchy","false"));else if(e.text==="\\mid")r.setAttribute("lspace","0.22\
em"),r.setAttribute("rspace","0.22em"),r.setAttribute("stretchy","false");else if(e.family==="rel"&&Jn(e.text))r.setAttribute("stretchy","false");else if(Yn.includes(
e.text))r.setAttribute("mathsize","70%");else if(e.text===":")r.attributes.lspace="0.2222em",r.attributes.rspace="0.2222em";else if(e.needsSpacing)return e.family===
"bin"?new p("mrow",[G(.222),r,G(.222)]):new p("mrow",[G(.2778),r,G(.2778)]);return r}});var hr={mathbf:"bold",mathrm:"normal",textit:"italic",mathit:"italic",mathnormal:"\
italic",mathbb:"double-struck",mathcal:"script",mathfrak:"fraktur",mathscr:"script",mathsf:"sans-serif",mathtt:"monospace"},pr=function(e,t){if(t.fontFamily==="\
texttt")return"monospace";if(t.fontFamily==="textsc")return"normal";if(t.fontFamily==="textsf")return t.fontShape==="textit"&&t.fontWeight==="textbf"?"sans-seri\
f-bold-italic":t.fontShape==="textit"?"sans-serif-italic":t.fontWeight==="textbf"?"sans-serif-bold":"sans-serif";if(t.fontShape==="textit"&&t.fontWeight==="text\
bf")return"bold-italic";if(t.fontShape==="textit")return"italic";if(t.fontWeight==="textbf")return"bold";let r=t.font;if(!r||r==="mathnormal")return null;let o=e.
mode;switch(r){case"mathit":return"italic";case"mathrm":{let i=e.text.codePointAt(0);return 939<i&&i<975?"italic":"normal"}case"greekItalic":return"italic";case"\
up@greek":return"normal";case"boldsymbol":case"mathboldsymbol":return"bold-italic";case"mathbf":return"bold";case"mathbb":return"double-struck";case"mathfrak":return"\
fraktur";case"mathscr":case"mathcal":return"script";case"mathsf":return"sans-serif";case"mathsfit":return"sans-serif-italic";case"mathtt":return"monospace"}let s=e.
text;return F[o][s]&&F[o][s].replace&&(s=F[o][s].replace),Object.prototype.hasOwnProperty.call(hr,r)?hr[r]:null},Qn=/^\d(?:[\d,.]*\d)?$/,eo=/[A-Ba-z]/,to=new Set(
["\\prime","\\dprime","\\trprime","\\qprime","\\backprime","\\backdprime","\\backtrprime"]),ro=(e,t,r)=>{let o=new p(r,[e]),s=new p("mstyle",[o]);return s.style["\
font-style"]="italic",s.style["font-family"]="Cambria, 'Times New Roman', serif",t==="bold-italic"&&(s.style["font-weight"]="bold"),s};oe({type:"mathord",mathmlBuilder(e,t){
let r=H(e.text,e.mode,t),o=r.text.codePointAt(0),s=912<o&&o<938?"normal":"italic",i=pr(e,t)||s;if(i==="script")return r.text=pe(r.text,i),new p("mi",[r],[t.font]);
i!=="italic"&&(r.text=pe(r.text,i));let l=new p("mi",[r]);if(i==="normal"&&(l.setAttribute("mathvariant","normal"),r.text.length===1)){let c=new p("mspace",[]);
l=new p("mrow",[l,c])}return l}}),oe({type:"textord",mathmlBuilder(e,t){let r=e.text,o=r.codePointAt(0);t.fontFamily==="textsc"&&96<o&&o<123&&(r=Tn[r]);let s=H(
r,e.mode,t),i=pr(e,t)||"normal",l;if(Qn.test(e.text)){let c=e.mode==="text"?"mtext":"mn";if(i==="italic"||i==="bold-italic")return ro(s,i,c);i!=="normal"&&(s.text=
s.text.split("").map(h=>pe(h,i)).join("")),l=new p(c,[s])}else if(e.mode==="text")i!=="normal"&&(s.text=pe(s.text,i)),l=new p("mtext",[s]);else if(to.has(e.text))
l=new p("mo",[s]),l.classes.push("tml-prime");else{let c=s.text;i!=="italic"&&(s.text=pe(s.text,i)),l=new p("mi",[s]),s.text===c&&eo.test(c)&&l.setAttribute("ma\
thvariant","italic")}return l}});var no={"\\nobreak":"nobreak","\\allowbreak":"allowbreak"},oo={" ":{},"\\ ":{},"~":{className:"nobreak"},"\\space":{},"\\nobreak\
space":{className:"nobreak"}};oe({type:"spacing",mathmlBuilder(e,t){let r;if(Object.prototype.hasOwnProperty.call(oo,e.text))r=new p("mtext",[new j(" ")]);else if(Object.
prototype.hasOwnProperty.call(no,e.text))r=new p("mo"),e.text==="\\nobreak"&&r.setAttribute("linebreak","nobreak");else throw new v(`Unknown type of space "${e.
text}"`);return r}}),oe({type:"tag"});var fr={"\\text":void 0,"\\textrm":"textrm","\\textsf":"textsf","\\texttt":"texttt","\\textnormal":"textrm","\\textsc":"te\
xtsc"},gr={"\\textbf":"textbf","\\textmd":"textmd"},ao={"\\textit":"textit","\\textup":"textup"},so=(e,t)=>{let r=e.font;if(r){if(fr[r])return t.withTextFontFamily(
fr[r]);if(gr[r])return t.withTextFontWeight(gr[r]);if(r==="\\emph")return t.fontShape==="textit"?t.withTextFontShape("textup"):t.withTextFontShape("textit")}else
return t;return t.withTextFontShape(ao[r])};S({type:"text",names:["\\text","\\textrm","\\textsf","\\texttt","\\textnormal","\\textsc","\\textbf","\\textmd","\\te\
xtit","\\textup","\\emph"],props:{numArgs:1,argTypes:["text"],allowedInArgument:!0,allowedInText:!0},handler({parser:e,funcName:t},r){let o=r[0];return{type:"te\
xt",mode:e.mode,body:R(o),font:t}},mathmlBuilder(e,t){let r=so(e,t),o=ne(e.body,r);return Te(o)}}),S({type:"vcenter",names:["\\vcenter"],props:{numArgs:1,argTypes:[
"original"],allowedInText:!1},handler({parser:e},t){return{type:"vcenter",mode:e.mode,body:t[0]}},mathmlBuilder(e,t){let r=new p("mtd",[E(e.body,t)]);r.style.padding=
"0";let o=new p("mtr",[r]);return new p("mtable",[o])}}),S({type:"verb",names:["\\verb"],props:{numArgs:0,allowedInText:!0},handler(e,t,r){throw new v("\\verb en\
ded by end of line instead of matching delimiter")},mathmlBuilder(e,t){let r=new j(io(e)),o=new p("mtext",[r]);return o.setAttribute("mathvariant","monospace"),
o}});var io=e=>e.body.replace(/ /g,e.star?"␣":" "),le=ht,br=`[ \r
	]`,lo="\\\\[a-zA-Z@]+",uo="\\\\[^\uD800-\uDFFF]",co=`(${lo})${br}*`,mo=`\\\\(
|[ \r	]+
?)[ \r	]*`,it="[̀-ͯ]",xr=new RegExp(`${it}+$`),ho=`(${br}+)|${mo}|([!-\\[\\]-‧‪-퟿豈-￿]${it}*|[\uD800-\uDBFF][\uDC00-\uDFFF]${it}*|\\\\verb\\*([^]).*?\\4|\
\\\\verb([^*a-zA-Z]).*?\\5|${co}|${uo})`,yr=class{constructor(t,r){this.input=t,this.settings=r,this.tokenRegex=new RegExp(ho,"g"),this.catcodes={"%":14,"~":13}}setCatcode(t,r){
this.catcodes[t]=r}lex(){let t=this.input,r=this.tokenRegex.lastIndex;if(r===t.length)return new Y("EOF",new V(this,r,r));let o=this.tokenRegex.exec(t);if(o===null||
o.index!==r)throw new v(`Unexpected character: '${t[r]}'`,new Y(t[r],new V(this,r,r+1)));let s=o[6]||o[3]||(o[2]?"\\ ":" ");if(this.catcodes[s]===14){let i=t.indexOf(
`
`,this.tokenRegex.lastIndex);if(i===-1){if(this.tokenRegex.lastIndex=t.length,this.settings.strict)throw new v("% comment has no terminating newline; LaTeX woul\
d fail because of commenting the end of math mode")}else this.tokenRegex.lastIndex=i+1;return this.lex()}return new Y(s,new V(this,r,this.tokenRegex.lastIndex))}},
po=class{constructor(t=Object.create(null),r=Object.create(null)){this.current=r,this.builtins=t,this.undefStack=[]}beginGroup(){this.undefStack.push(Object.create(
null))}endGroup(){if(this.undefStack.length===0)throw new v("Unbalanced namespace destruction: attempt to pop global namespace; please report this as a bug");let t=this.
undefStack.pop();for(let r in t)Object.prototype.hasOwnProperty.call(t,r)&&(t[r]===void 0?delete this.current[r]:this.current[r]=t[r])}has(t){return Object.prototype.
hasOwnProperty.call(this.current,t)||Object.prototype.hasOwnProperty.call(this.builtins,t)}get(t){return Object.prototype.hasOwnProperty.call(this.current,t)?this.
current[t]:this.builtins[t]}set(t,r,o=!1){if(o){for(let s=0;s<this.undefStack.length;s++)delete this.undefStack[s][t];this.undefStack.length>0&&(this.undefStack[this.
undefStack.length-1][t]=r)}else{let s=this.undefStack[this.undefStack.length-1];s&&!Object.prototype.hasOwnProperty.call(s,t)&&(s[t]=this.current[t])}this.current[t]=
r}},wr={"^":!0,_:!0,"\\limits":!0,"\\nolimits":!0},fo=class{constructor(t,r,o){this.settings=r,this.expansionCount=0,this.feed(t),this.macros=new po(un,r.macros),
this.mode=o,this.stack=[]}feed(t){this.lexer=new yr(t,this.settings)}switchMode(t){this.mode=t}beginGroup(){this.macros.beginGroup()}endGroup(){this.macros.endGroup()}future(){
return this.stack.length===0&&this.pushToken(this.lexer.lex()),this.stack[this.stack.length-1]}popToken(){return this.future(),this.stack.pop()}pushToken(t){this.
stack.push(t)}pushTokens(t){this.stack.push(...t)}scanArgument(t){let r,o,s;if(t){if(this.consumeSpaces(),this.future().text!=="[")return null;r=this.popToken(),
{tokens:s,end:o}=this.consumeArg(["]"])}else({tokens:s,start:r,end:o}=this.consumeArg());return this.pushToken(new Y("EOF",o.loc)),this.pushTokens(s),new Y("",V.
range(r,o))}consumeSpaces(){for(;this.future().text===" ";)this.stack.pop()}consumeArg(t){let r=[],o=t&&t.length>0;o||this.consumeSpaces();let s=this.future(),i,
l=0,c=0;do{if(i=this.popToken(),r.push(i),i.text==="{")++l;else if(i.text==="}"){if(--l,l===-1)throw new v("Extra }",i)}else if(i.text==="EOF")throw new v("Unex\
pected end of input in a macro argument, expected '"+(t&&o?t[c]:"}")+"'",i);if(t&&o)if((l===0||l===1&&t[c]==="{")&&i.text===t[c]){if(++c,c===t.length){r.splice(
-c,c);break}}else c=0}while(l!==0||o);return s.text==="{"&&r[r.length-1].text==="}"&&(r.pop(),r.shift()),r.reverse(),{tokens:r,start:s,end:i}}consumeArgs(t,r){if(r){
if(r.length!==t+1)throw new v("The length of delimiters doesn't match the number of args!");let s=r[0];for(let i=0;i<s.length;i++){let l=this.popToken();if(s[i]!==
l.text)throw new v("Use of the macro doesn't match its definition",l)}}let o=[];for(let s=0;s<t;s++)o.push(this.consumeArg(r&&r[s+1]).tokens);return o}expandOnce(t){
let r=this.popToken(),o=r.text,s=r.noexpand?null:this._getExpansion(o);if(s==null||t&&s.unexpandable){if(t&&s==null&&o[0]==="\\"&&!this.isDefined(o))throw new v(
"Undefined control sequence: "+o);return this.pushToken(r),!1}if(this.expansionCount++,this.expansionCount>this.settings.maxExpand)throw new v("Too many expansi\
ons: infinite loop or need to increase maxExpand setting");let i=s.tokens,l=this.consumeArgs(s.numArgs,s.delimiters);if(s.numArgs){i=i.slice();for(let c=i.length-
1;c>=0;--c){let h=i[c];if(h.text==="#"){if(c===0)throw new v("Incomplete placeholder at end of macro body",h);if(h=i[--c],h.text==="#")i.splice(c+1,1);else if(/^[1-9]$/.
test(h.text))i.splice(c,2,...l[+h.text-1]);else throw new v("Not a valid argument number",h)}}}return this.pushTokens(i),i.length}expandAfterFuture(){return this.
expandOnce(),this.future()}expandNextToken(){for(;;)if(this.expandOnce()===!1){let t=this.stack.pop();return t.treatAsRelax&&(t.text="\\relax"),t}throw new Error}expandMacro(t){
return this.macros.has(t)?this.expandTokens([new Y(t)]):void 0}expandTokens(t){let r=[],o=this.stack.length;for(this.pushTokens(t);this.stack.length>o;)if(this.
expandOnce(!0)===!1){let s=this.stack.pop();s.treatAsRelax&&(s.noexpand=!1,s.treatAsRelax=!1),r.push(s)}return r}expandMacroAsText(t){let r=this.expandMacro(t);
return r&&r.map(o=>o.text).join("")}_getExpansion(t){let r=this.macros.get(t);if(r==null)return r;if(t.length===1){let s=this.lexer.catcodes[t];if(s!=null&&s!==
13)return}let o=typeof r=="function"?r(this):r;if(typeof o=="string"){let s=0;if(o.indexOf("#")!==-1){let g=o.replace(/##/g,"");for(;g.indexOf("#"+(s+1))!==-1;)
++s}let i=new yr(o,this.settings),l=[],c=i.lex();for(;c.text!=="EOF";)l.push(c),c=i.lex();return l.reverse(),{tokens:l,numArgs:s}}return o}isDefined(t){return this.
macros.has(t)||Object.prototype.hasOwnProperty.call(le,t)||Object.prototype.hasOwnProperty.call(F.math,t)||Object.prototype.hasOwnProperty.call(F.text,t)||Object.
prototype.hasOwnProperty.call(wr,t)}isExpandable(t){let r=this.macros.get(t);return r!=null?typeof r=="string"||typeof r=="function"||!r.unexpandable:Object.prototype.
hasOwnProperty.call(le,t)&&!le[t].primitive}},vr=/^[₊₋₌₍₎₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ]/,
ze=Object.freeze({"₊":"+","₋":"-","₌":"=","₍":"(","₎":")","₀":"0","₁":"1","₂":"2","₃":"3","₄":"4","₅":"5","₆":"6","₇":"7","₈":"8","₉":"\
9","ₐ":"a","ₑ":"e","ₕ":"h","ᵢ":"i","ⱼ":"j","ₖ":"k","ₗ":"l","ₘ":"m","ₙ":"n","ₒ":"o","ₚ":"p","ᵣ":"r","ₛ":"s","ₜ":"t","ᵤ":"u","ᵥ":"\
v","ₓ":"x","ᵦ":"β","ᵧ":"γ","ᵨ":"ρ","ᵩ":"ϕ","ᵪ":"χ","⁺":"+","⁻":"-","⁼":"=","⁽":"(","⁾":")","⁰":"0","¹":"1","²":"2","³":"3","⁴":"\
4","⁵":"5","⁶":"6","⁷":"7","⁸":"8","⁹":"9","ᴬ":"A","ᴮ":"B","ᴰ":"D","ᴱ":"E","ᴳ":"G","ᴴ":"H","ᴵ":"I","ᴶ":"J","ᴷ":"K","ᴸ":"L","ᴹ":"\
M","ᴺ":"N","ᴼ":"O","ᴾ":"P","ᴿ":"R","ᵀ":"T","ᵁ":"U","ⱽ":"V","ᵂ":"W","ᵃ":"a","ᵇ":"b","ᶜ":"c","ᵈ":"d","ᵉ":"e","ᶠ":"f","ᵍ":"g",ʰ:"h",
"ⁱ":"i",ʲ:"j","ᵏ":"k",ˡ:"l","ᵐ":"m",ⁿ:"n","ᵒ":"o","ᵖ":"p",ʳ:"r",ˢ:"s","ᵗ":"t","ᵘ":"u","ᵛ":"v",ʷ:"w",ˣ:"x",ʸ:"y","ᶻ":"z","ᵝ":"β","ᵞ":"\
γ","ᵟ":"δ","ᵠ":"ϕ","ᵡ":"χ","ᶿ":"θ"}),Ar=Object.freeze({"𝒜":"A",ℬ:"B","𝒞":"C","𝒟":"D",ℰ:"E",ℱ:"F","𝒢":"G",ℋ:"H",ℐ:"I","𝒥":"\
J","𝒦":"K",ℒ:"L",ℳ:"M","𝒩":"N","𝒪":"O","𝒫":"P","𝒬":"Q",ℛ:"R","𝒮":"S","𝒯":"T","𝒰":"U","𝒱":"V","𝒲":"W","𝒳":"X","𝒴":"Y","\
𝒵":"Z"}),lt={"́":{text:"\\'",math:"\\acute"},"̀":{text:"\\`",math:"\\grave"},"̈":{text:'\\"',math:"\\ddot"},"̃":{text:"\\~",math:"\\tilde"},"̄":{text:"\\\
=",math:"\\bar"},"̆":{text:"\\u",math:"\\breve"},"̌":{text:"\\v",math:"\\check"},"̂":{text:"\\^",math:"\\hat"},"̇":{text:"\\.",math:"\\dot"},"̊":{text:"\\r",
math:"\\mathring"},"̋":{text:"\\H"},"̧":{text:"\\c"}},kr={á:"á",à:"à",ä:"ä",ǟ:"ǟ",ã:"ã",ā:"ā",ă:"ă",ắ:"ắ",ằ:"ằ",ẵ:"ẵ",
ǎ:"ǎ",â:"â",ấ:"ấ",ầ:"ầ",ẫ:"ẫ",ȧ:"ȧ",ǡ:"ǡ",å:"å",ǻ:"ǻ",ḃ:"ḃ",ć:"ć",č:"č",ĉ:"ĉ",ċ:"ċ",ď:"ď",ḋ:"ḋ",é:"\
é",è:"è",ë:"ë",ẽ:"ẽ",ē:"ē",ḗ:"ḗ",ḕ:"ḕ",ĕ:"ĕ",ě:"ě",ê:"ê",ế:"ế",ề:"ề",ễ:"ễ",ė:"ė",ḟ:"ḟ",ǵ:"ǵ",ḡ:"\
ḡ",ğ:"ğ",ǧ:"ǧ",ĝ:"ĝ",ġ:"ġ",ḧ:"ḧ",ȟ:"ȟ",ĥ:"ĥ",ḣ:"ḣ",í:"í",ì:"ì",ï:"ï",ḯ:"ḯ",ĩ:"ĩ",ī:"ī",ĭ:"ĭ",ǐ:"ǐ",î:"î",
ǰ:"ǰ",ĵ:"ĵ",ḱ:"ḱ",ǩ:"ǩ",ĺ:"ĺ",ľ:"ľ",ḿ:"ḿ",ṁ:"ṁ",ń:"ń",ǹ:"ǹ",ñ:"ñ",ň:"ň",ṅ:"ṅ",ó:"ó",ò:"ò",ö:"ö",ȫ:"ȫ",õ:"\
õ",ṍ:"ṍ",ṏ:"ṏ",ȭ:"ȭ",ō:"ō",ṓ:"ṓ",ṑ:"ṑ",ŏ:"ŏ",ǒ:"ǒ",ô:"ô",ố:"ố",ồ:"ồ",ỗ:"ỗ",ȯ:"ȯ",ȱ:"ȱ",ő:"\
ő",ṕ:"ṕ",ṗ:"ṗ",ŕ:"ŕ",ř:"ř",ṙ:"ṙ",ś:"ś",ṥ:"ṥ",š:"š",ṧ:"ṧ",ŝ:"ŝ",ṡ:"ṡ",ẗ:"ẗ",ť:"ť",ṫ:"ṫ",ú:"ú",ù:"ù",
ü:"ü",ǘ:"ǘ",ǜ:"ǜ",ǖ:"ǖ",ǚ:"ǚ",ũ:"ũ",ṹ:"ṹ",ū:"ū",ṻ:"ṻ",ŭ:"ŭ",ǔ:"ǔ",û:"û",ů:"ů",ű:"ű",ṽ:"ṽ",ẃ:"ẃ",
ẁ:"ẁ",ẅ:"ẅ",ŵ:"ŵ",ẇ:"ẇ",ẘ:"ẘ",ẍ:"ẍ",ẋ:"ẋ",ý:"ý",ỳ:"ỳ",ÿ:"ÿ",ỹ:"ỹ",ȳ:"ȳ",ŷ:"ŷ",ẏ:"ẏ",ẙ:"ẙ",ź:"ź",ž:"ž",
ẑ:"ẑ",ż:"ż",Á:"Á",À:"À",Ä:"Ä",Ǟ:"Ǟ",Ã:"Ã",Ā:"Ā",Ă:"Ă",Ắ:"Ắ",Ằ:"Ằ",Ẵ:"Ẵ",Ǎ:"Ǎ",Â:"Â",Ấ:"Ấ",Ầ:"Ầ",
Ẫ:"Ẫ",Ȧ:"Ȧ",Ǡ:"Ǡ",Å:"Å",Ǻ:"Ǻ",Ḃ:"Ḃ",Ć:"Ć",Č:"Č",Ĉ:"Ĉ",Ċ:"Ċ",Ď:"Ď",Ḋ:"Ḋ",É:"É",È:"È",Ë:"Ë",Ẽ:"Ẽ",Ē:"Ē",
Ḗ:"Ḗ",Ḕ:"Ḕ",Ĕ:"Ĕ",Ě:"Ě",Ê:"Ê",Ế:"Ế",Ề:"Ề",Ễ:"Ễ",Ė:"Ė",Ḟ:"Ḟ",Ǵ:"Ǵ",Ḡ:"Ḡ",Ğ:"Ğ",Ǧ:"Ǧ",Ĝ:"Ĝ",Ġ:"Ġ",
Ḧ:"Ḧ",Ȟ:"Ȟ",Ĥ:"Ĥ",Ḣ:"Ḣ",Í:"Í",Ì:"Ì",Ï:"Ï",Ḯ:"Ḯ",Ĩ:"Ĩ",Ī:"Ī",Ĭ:"Ĭ",Ǐ:"Ǐ",Î:"Î",İ:"İ",Ĵ:"Ĵ",Ḱ:"Ḱ",Ǩ:"Ǩ",Ĺ:"\
Ĺ",Ľ:"Ľ",Ḿ:"Ḿ",Ṁ:"Ṁ",Ń:"Ń",Ǹ:"Ǹ",Ñ:"Ñ",Ň:"Ň",Ṅ:"Ṅ",Ó:"Ó",Ò:"Ò",Ö:"Ö",Ȫ:"Ȫ",Õ:"Õ",Ṍ:"Ṍ",Ṏ:"Ṏ",Ȭ:"Ȭ",
Ō:"Ō",Ṓ:"Ṓ",Ṑ:"Ṑ",Ŏ:"Ŏ",Ǒ:"Ǒ",Ô:"Ô",Ố:"Ố",Ồ:"Ồ",Ỗ:"Ỗ",Ȯ:"Ȯ",Ȱ:"Ȱ",Ő:"Ő",Ṕ:"Ṕ",Ṗ:"Ṗ",Ŕ:"Ŕ",Ř:"Ř",
Ṙ:"Ṙ",Ś:"Ś",Ṥ:"Ṥ",Š:"Š",Ṧ:"Ṧ",Ŝ:"Ŝ",Ṡ:"Ṡ",Ť:"Ť",Ṫ:"Ṫ",Ú:"Ú",Ù:"Ù",Ü:"Ü",Ǘ:"Ǘ",Ǜ:"Ǜ",Ǖ:"Ǖ",Ǚ:"Ǚ",
Ũ:"Ũ",Ṹ:"Ṹ",Ū:"Ū",Ṻ:"Ṻ",Ŭ:"Ŭ",Ǔ:"Ǔ",Û:"Û",Ů:"Ů",Ű:"Ű",Ṽ:"Ṽ",Ẃ:"Ẃ",Ẁ:"Ẁ",Ẅ:"Ẅ",Ŵ:"Ŵ",Ẇ:"Ẇ",Ẍ:"Ẍ",Ẋ:"\
Ẋ",Ý:"Ý",Ỳ:"Ỳ",Ÿ:"Ÿ",Ỹ:"Ỹ",Ȳ:"Ȳ",Ŷ:"Ŷ",Ẏ:"Ẏ",Ź:"Ź",Ž:"Ž",Ẑ:"Ẑ",Ż:"Ż",ά:"ά",ὰ:"ὰ",ᾱ:"ᾱ",ᾰ:"ᾰ",έ:"έ",
ὲ:"ὲ",ή:"ή",ὴ:"ὴ",ί:"ί",ὶ:"ὶ",ϊ:"ϊ",ΐ:"ΐ",ῒ:"ῒ",ῑ:"ῑ",ῐ:"ῐ",ό:"ό",ὸ:"ὸ",ύ:"ύ",ὺ:"ὺ",ϋ:"ϋ",
ΰ:"ΰ",ῢ:"ῢ",ῡ:"ῡ",ῠ:"ῠ",ώ:"ώ",ὼ:"ὼ",Ύ:"Ύ",Ὺ:"Ὺ",Ϋ:"Ϋ",Ῡ:"Ῡ",Ῠ:"Ῠ",Ώ:"Ώ",Ὼ:"Ὼ"},go=["bin","op","o\
pen","punct","rel"],bo=/([-+]?) *(\d+(?:\.\d*)?|\.\d+) *([a-z]{2})/,xo=/^ *\\text/,Ae=class _Ae{constructor(t,r,o=!1){this.mode="math",this.gullet=new fo(t,r,this.
mode),this.settings=r,this.isPreamble=o,this.leftrightDepth=0,this.prevAtomType=""}expect(t,r=!0){if(this.fetch().text!==t)throw new v(`Expected '${t}', got '${this.
fetch().text}'`,this.fetch());r&&this.consume()}consume(){this.nextToken=null}fetch(){return this.nextToken==null&&(this.nextToken=this.gullet.expandNextToken()),
this.nextToken}switchMode(t){this.mode=t,this.gullet.switchMode(t)}parse(){this.gullet.beginGroup(),this.settings.colorIsTextColor&&this.gullet.macros.set("\\col\
or","\\textcolor");let t=this.parseExpression(!1);if(this.expect("EOF"),this.isPreamble){let o=Object.create(null);return Object.entries(this.gullet.macros.current).
forEach(([s,i])=>{o[s]=i}),this.gullet.endGroup(),o}let r=this.gullet.macros.get("\\df@tag");return this.gullet.endGroup(),r&&(this.gullet.macros.current["\\df@t\
ag"]=r),t}static get endOfExpression(){return["}","\\endgroup","\\end","\\right","\\endtoggle","&"]}subparse(t){let r=this.nextToken;this.consume(),this.gullet.
pushToken(new Y("}")),this.gullet.pushTokens(t);let o=this.parseExpression(!1);return this.expect("}"),this.nextToken=r,o}parseExpression(t,r,o){let s=[];for(this.
prevAtomType="";;){this.mode==="math"&&this.consumeSpaces();let i=this.fetch();if(_Ae.endOfExpression.indexOf(i.text)!==-1||r&&i.text===r||o&&i.text==="\\middle"||
t&&le[i.text]&&le[i.text].infix)break;let l=this.parseAtom(r);if(l){if(l.type==="internal")continue}else break;s.push(l),this.prevAtomType=l.type==="atom"?l.family:
l.type}return this.mode==="text"&&this.formLigatures(s),this.handleInfixNodes(s)}handleInfixNodes(t){let r=-1,o;for(let s=0;s<t.length;s++)if(t[s].type==="infix"){
if(r!==-1)throw new v("only one infix operator per group",t[s].token);r=s,o=t[s].replaceWith}if(r!==-1&&o){let s,i,l=t.slice(0,r),c=t.slice(r+1);l.length===1&&l[0].
type==="ordgroup"?s=l[0]:s={type:"ordgroup",mode:this.mode,body:l},c.length===1&&c[0].type==="ordgroup"?i=c[0]:i={type:"ordgroup",mode:this.mode,body:c};let h;return o===
"\\\\abovefrac"?h=this.callFunction(o,[s,t[r],i],[]):h=this.callFunction(o,[s,i],[]),[h]}else return t}handleSupSubscript(t){let r=this.fetch(),o=r.text;this.consume(),
this.consumeSpaces();let s;do s=this.parseGroup(t);while(s.type&&s.type==="internal");if(!s)throw new v("Expected group after '"+o+"'",r);return s}formatUnsupportedCmd(t){
let r=[];for(let i=0;i<t.length;i++)r.push({type:"textord",mode:"text",text:t[i]});let o={type:"text",mode:this.mode,body:r};return{type:"color",mode:this.mode,
color:this.settings.errorColor,body:[o]}}parseAtom(t){let r=this.parseGroup("atom",t);if(r&&r.type==="internal"||this.mode==="text")return r;let o,s;for(;;){this.
consumeSpaces();let i=this.fetch();if(i.text==="\\limits"||i.text==="\\nolimits"){if(r&&r.type==="op"){let l=i.text==="\\limits";r.limits=l,r.alwaysHandleSupSub=
!0}else if(r&&r.type==="operatorname")r.alwaysHandleSupSub&&(r.limits=i.text==="\\limits");else throw new v("Limit controls must follow a math operator",i);this.
consume()}else if(i.text==="^"){if(o)throw new v("Double superscript",i);o=this.handleSupSubscript("superscript")}else if(i.text==="_"){if(s)throw new v("Double\
 subscript",i);s=this.handleSupSubscript("subscript")}else if(i.text==="'"){if(o)throw new v("Double superscript",i);let l={type:"textord",mode:this.mode,text:"\
\\prime"},c=[l];for(this.consume();this.fetch().text==="'";)c.push(l),this.consume();this.fetch().text==="^"&&c.push(this.handleSupSubscript("superscript")),o={
type:"ordgroup",mode:this.mode,body:c}}else if(ze[i.text]){let l=vr.test(i.text),c=[];for(c.push(new Y(ze[i.text])),this.consume();;){let g=this.fetch().text;if(!ze[g]||
vr.test(g)!==l)break;c.unshift(new Y(ze[g])),this.consume()}let h=this.subparse(c);l?s={type:"ordgroup",mode:"math",body:h}:o={type:"ordgroup",mode:"math",body:h}}else
break}if(o||s){if(r&&r.type==="multiscript"&&!r.postscripts)return r.postscripts={sup:o,sub:s},r;{let i=!r||r.type!=="op"&&r.type!=="operatorname"?void 0:$e(this.
nextToken.text);return{type:"supsub",mode:this.mode,base:r,sup:o,sub:s,isFollowedByDelimiter:i}}}else return r}parseFunction(t,r){let o=this.fetch(),s=o.text,i=le[s];
if(!i)return null;if(this.consume(),r&&r!=="atom"&&!i.allowedInArgument)throw new v("Got function '"+s+"' with no arguments"+(r?" as "+r:""),o);if(this.mode==="\
text"&&!i.allowedInText)throw new v("Can't use function '"+s+"' in text mode",o);if(this.mode==="math"&&i.allowedInMath===!1)throw new v("Can't use function '"+
s+"' in math mode",o);let l=this.prevAtomType,{args:c,optArgs:h}=this.parseArguments(s,i);return this.prevAtomType=l,this.callFunction(s,c,h,o,t)}callFunction(t,r,o,s,i){
let l={funcName:t,parser:this,token:s,breakOnTokenText:i},c=le[t];if(c&&c.handler)return c.handler(l,r,o);throw new v(`No function handler for ${t}`)}parseArguments(t,r){
let o=r.numArgs+r.numOptionalArgs;if(o===0)return{args:[],optArgs:[]};let s=[],i=[];for(let l=0;l<o;l++){let c=r.argTypes&&r.argTypes[l],h=l<r.numOptionalArgs;(r.
primitive&&c==null||r.type==="sqrt"&&l===1&&i[0]==null)&&(c="primitive");let g=this.parseGroupOfType(`argument to '${t}'`,c,h);if(h)i.push(g);else if(g!=null)s.
push(g);else throw new v("Null argument, please report this as a bug")}return{args:s,optArgs:i}}parseGroupOfType(t,r,o){switch(r){case"size":return this.parseSizeGroup(
o);case"url":return this.parseUrlGroup(o);case"math":case"text":return this.parseArgumentGroup(o,r);case"hbox":{let s=this.parseArgumentGroup(o,"text");return s!=
null?{type:"styling",mode:s.mode,body:[s],scriptLevel:"text"}:null}case"raw":{let s=this.parseStringGroup("raw",o);return s!=null?{type:"raw",mode:"text",string:s.
text}:null}case"primitive":{if(o)throw new v("A primitive argument cannot be optional");let s=this.parseGroup(t);if(s==null)throw new v("Expected group as "+t,this.
fetch());return s}case"original":case null:case void 0:return this.parseArgumentGroup(o);default:throw new v("Unknown group type as "+t,this.fetch())}}consumeSpaces(){
for(;;){let t=this.fetch().text;if(t===" "||t===" "||t==="︎")this.consume();else break}}parseStringGroup(t,r){let o=this.gullet.scanArgument(r);if(o==null)return null;
let s="",i;for(;(i=this.fetch()).text!=="EOF";)s+=i.text,this.consume();return this.consume(),o.text=s,o}parseRegexGroup(t,r){let o=this.fetch(),s=o,i="",l;for(;(l=
this.fetch()).text!=="EOF"&&t.test(i+l.text);)s=l,i+=s.text,this.consume();if(i==="")throw new v("Invalid "+r+": '"+o.text+"'",o);return o.range(s,i)}parseSizeGroup(t){
let r,o=!1;if(this.gullet.consumeSpaces(),!t&&this.gullet.future().text!=="{"?r=this.parseRegexGroup(/^[-+]? *(?:$|\d+|\d+\.\d*|\.\d*) *[a-z]{0,2} *$/,"size"):r=
this.parseStringGroup("size",t),!r)return null;!t&&r.text.length===0&&(r.text="0pt",o=!0);let s=bo.exec(r.text);if(!s)throw new v("Invalid size: '"+r.text+"'",r);
let i={number:+(s[1]+s[2]),unit:s[3]};if(!qt(i))throw new v("Invalid unit: '"+i.unit+"'",r);return{type:"size",mode:this.mode,value:i,isBlank:o}}parseUrlGroup(t){
this.gullet.lexer.setCatcode("%",13),this.gullet.lexer.setCatcode("~",12);let r=this.parseStringGroup("url",t);if(this.gullet.lexer.setCatcode("%",14),this.gullet.
lexer.setCatcode("~",13),r==null)return null;let o=r.text.replace(/\\([#$%&~_^{}])/g,"$1");return o=r.text.replace(/{\u2044}/g,"/"),{type:"url",mode:this.mode,url:o}}parseArgumentGroup(t,r){
let o=this.gullet.scanArgument(t);if(o==null)return null;let s=this.mode;r&&this.switchMode(r),this.gullet.beginGroup();let i=this.parseExpression(!1,"EOF");this.
expect("EOF"),this.gullet.endGroup();let l={type:"ordgroup",mode:this.mode,loc:o.loc,body:i};return r&&this.switchMode(s),l}parseGroup(t,r){let o=this.fetch(),s=o.
text;if(t==="argument to '\\left'")return this.parseSymbol();let i;if(s==="{"||s==="\\begingroup"||s==="\\toggle"){this.consume();let l=s==="{"?"}":s==="\\beging\
roup"?"\\endgroup":"\\endtoggle";this.gullet.beginGroup();let c=this.parseExpression(!1,l),h=this.fetch();this.expect(l),this.gullet.endGroup(),i={type:h.text===
"\\endtoggle"?"toggle":"ordgroup",mode:this.mode,loc:V.range(o,h),body:c,semisimple:s==="\\begingroup"||void 0}}else if(i=this.parseFunction(r,t)||this.parseSymbol(),
i==null&&s[0]==="\\"&&!Object.prototype.hasOwnProperty.call(wr,s)){if(this.settings.throwOnError)throw new v("Unsupported function name: "+s,o);i=this.formatUnsupportedCmd(
s),this.consume()}return i}formLigatures(t){let r=t.length-1;for(let o=0;o<r;++o){let s=t[o],i=s.text;i==="-"&&t[o+1].text==="-"&&(o+1<r&&t[o+2].text==="-"?(t.splice(
o,3,{type:"textord",mode:"text",loc:V.range(s,t[o+2]),text:"---"}),r-=2):(t.splice(o,2,{type:"textord",mode:"text",loc:V.range(s,t[o+1]),text:"--"}),r-=1)),(i===
"'"||i==="`")&&t[o+1].text===i&&(t.splice(o,2,{type:"textord",mode:"text",loc:V.range(s,t[o+1]),text:i+i}),r-=1)}}parseSymbol(){let t=this.fetch(),r=t.text;if(/^\\verb[^a-zA-Z]/.
test(r)){this.consume();let i=r.slice(5),l=i.charAt(0)==="*";if(l&&(i=i.slice(1)),i.length<2||i.charAt(0)!==i.slice(-1))throw new v(`\\verb assertion failed --
                    please report what input caused this bug`);return i=i.slice(1,-1),{type:"verb",mode:"text",body:i,star:l}}if(Object.prototype.hasOwnProperty.
call(kr,r[0])&&this.mode==="math"&&!F[this.mode][r[0]]){if(this.settings.strict&&this.mode==="math")throw new v(`Accented Unicode text character "${r[0]}" used \
in math mode`,t);r=kr[r[0]]+r.slice(1)}let o=this.mode==="math"?xr.exec(r):null;o&&(r=r.substring(0,o.index),r==="i"?r="ı":r==="j"&&(r="ȷ"));let s;if(F[this.mode][r]){
let i=F[this.mode][r].group;i==="bin"&&(go.includes(this.prevAtomType)||this.prevAtomType==="")&&(i="open");let l=V.range(t),c;if(Object.prototype.hasOwnProperty.
call(jr,i)){let h=i;c={type:"atom",mode:this.mode,family:h,loc:l,text:r},(h==="rel"||h==="bin")&&this.prevAtomType==="text"&&xo.test(l.lexer.input.slice(l.end))&&
(c.needsSpacing=!0)}else{if(Ar[r]){this.consume();let h=this.fetch().text.charCodeAt(0),g=h===65025?"mathscr":"mathcal";return(h===65024||h===65025)&&this.consume(),
{type:"font",mode:"math",font:g,body:{type:"mathord",mode:"math",loc:l,text:Ar[r]}}}c={type:i,mode:this.mode,loc:l,text:r}}s=c}else if(r.charCodeAt(0)>=128||xr.
exec(r)){if(this.settings.strict&&this.mode==="math")throw new v(`Unicode text character "${r[0]}" used in math mode`,t);s={type:"textord",mode:"text",loc:V.range(
t),text:r}}else return null;if(this.consume(),o)for(let i=0;i<o[0].length;i++){let l=o[0][i];if(!lt[l])throw new v(`Unknown accent ' ${l}'`,t);let c=lt[l][this.
mode]||lt[l].text;if(!c)throw new v(`Accent ${l} unsupported in ${this.mode} mode`,t);s={type:"accent",mode:this.mode,loc:V.range(t),label:c,isStretchy:!1,base:s}}
return s}},Sr=function(e,t){if(!(typeof e=="string"||e instanceof String))throw new TypeError("Temml can only parse string typed expression");let r,o;try{o=new Ae(
e,t),delete o.gullet.macros.current["\\df@tag"],r=o.parse()}catch(s){if(s.toString()==="ParseError:  Unmatched delimiter")t.wrapDelimiterPairs=!1,o=new Ae(e,t),
delete o.gullet.macros.current["\\df@tag"],r=o.parse();else throw s}if(!(r.length>0&&r[0].type&&r[0].type==="array"&&r[0].addEqnNum)&&o.gullet.macros.get("\\df@t\
ag")){if(!t.displayMode)throw new v("\\tag works only in display mode");o.gullet.feed("\\df@tag"),r=[{type:"tag",mode:"text",body:r,tag:o.parse()}]}return r},yo=[
2,2,3,3],dt=class _dt{constructor(t){this.level=t.level,this.color=t.color,this.font=t.font||"",this.fontFamily=t.fontFamily||"",this.fontSize=t.fontSize||1,this.
fontWeight=t.fontWeight||"",this.fontShape=t.fontShape||"",this.maxSize=t.maxSize}extend(t){let r={level:this.level,color:this.color,font:this.font,fontFamily:this.
fontFamily,fontSize:this.fontSize,fontWeight:this.fontWeight,fontShape:this.fontShape,maxSize:this.maxSize};for(let o in t)Object.prototype.hasOwnProperty.call(
t,o)&&(r[o]=t[o]);return new _dt(r)}withLevel(t){return this.extend({level:t})}incrementLevel(){return this.extend({level:Math.min(this.level+1,3)})}inSubOrSup(){
return this.extend({level:yo[this.level]})}withColor(t){return this.extend({color:t})}withFont(t){return this.extend({font:t})}withTextFontFamily(t){return this.
extend({fontFamily:t,font:""})}withFontSize(t){return this.extend({fontSize:t})}withTextFontWeight(t){return this.extend({fontWeight:t,font:""})}withTextFontShape(t){
return this.extend({fontShape:t,font:""})}getColor(){return this.color}},wo="0.13.5";function qr(e){let t={},r=0,o=document.getElementsByClassName("tml-eqn");for(let l of o)
for(r+=1,l.setAttribute("id","tml-eqn-"+String(r));l.tagName!=="mtable";)if(l.getElementsByClassName("tml-label").length>0){let h=l.attributes.id.value;t[h]=String(
r);break}else l=l.parentElement;let s=document.getElementsByClassName("tml-tageqn");for(let l of s)if(l.getElementsByClassName("tml-label").length>0){let h=l.getElementsByClassName(
"tml-tag");if(h.length>0){let g=l.attributes.id.value;t[g]=h[0].textContent}}[...e.getElementsByClassName("tml-ref")].forEach(l=>{let c=l.getAttribute("href"),h=t[c.
slice(1)];l.className.indexOf("tml-eqref")===-1?(h=h.replace(/^\(/,""),h=h.replace(/\)$/,"")):(h.charAt(0)!=="("&&(h="("+h),h.slice(-1)!==")"&&(h=h+")"));let g=document.
createElementNS("http://www.w3.org/1998/Math/MathML","mtext");g.appendChild(document.createTextNode(h));let A=document.createElementNS("http://www.w3.org/1998/M\
ath/MathML","math");A.appendChild(g),l.textContent="",l.appendChild(A)})}var vo=function(e,t,r){let o=r,s=0,i=e.length;for(;o<t.length;){let l=t[o];if(s<=0&&t.slice(
o,o+i)===e)return o;l==="\\"?o++:l==="{"?s++:l==="}"&&s--,o++}return-1},Ao=function(e){return e.replace(/[-/\\^$*+?.()|[\]{}]/g,"\\$&")},ko=/^\\(?:begin|(?:eq)?ref){/,
So=function(e,t){let r,o=[],s=new RegExp("("+t.map(i=>Ao(i.left)).join("|")+")");for(;r=e.search(s),r!==-1;){r>0&&(o.push({type:"text",data:e.slice(0,r)}),e=e.slice(
r));let i=t.findIndex(h=>e.startsWith(h.left));if(r=vo(t[i].right,e,t[i].left.length),r===-1)break;let l=e.slice(0,r+t[i].right.length),c=ko.test(l)?l:e.slice(t[i].
left.length,r);o.push({type:"math",data:c,rawData:l,display:t[i].display}),e=e.slice(r+t[i].right.length)}return e!==""&&o.push({type:"text",data:e}),o},_r=[{left:"\
$$",right:"$$",display:!0},{left:"\\(",right:"\\)",display:!1},{left:"\\begin{equation}",right:"\\end{equation}",display:!0},{left:"\\begin{equation*}",right:"\\\
end{equation*}",display:!0},{left:"\\begin{align}",right:"\\end{align}",display:!0},{left:"\\begin{align*}",right:"\\end{align*}",display:!0},{left:"\\begin{alig\
nat}",right:"\\end{alignat}",display:!0},{left:"\\begin{alignat*}",right:"\\end{alignat*}",display:!0},{left:"\\begin{gather}",right:"\\end{gather}",display:!0},
{left:"\\begin{gather*}",right:"\\end{gather*}",display:!0},{left:"\\begin{CD}",right:"\\end{CD}",display:!0},{left:"\\ref{",right:"}",display:!1},{left:"\\eqref\
{",right:"}",display:!1},{left:"\\[",right:"\\]",display:!0}],Ie={$:[{left:"$$",right:"$$",display:!0},{left:"$`",right:"`$",display:!1},{left:"$",right:"$",display:!1}],
"(":[{left:"\\[",right:"\\]",display:!0},{left:"\\(",right:"\\)",display:!1}]},ut=[{left:"\\begin{equation}",right:"\\end{equation}",display:!0},{left:"\\begin{e\
quation*}",right:"\\end{equation*}",display:!0},{left:"\\begin{align}",right:"\\end{align}",display:!0},{left:"\\begin{align*}",right:"\\end{align*}",display:!0},
{left:"\\begin{alignat}",right:"\\end{alignat}",display:!0},{left:"\\begin{alignat*}",right:"\\end{alignat*}",display:!0},{left:"\\begin{gather}",right:"\\end{ga\
ther}",display:!0},{left:"\\begin{gather*}",right:"\\end{gather*}",display:!0},{left:"\\begin{CD}",right:"\\end{CD}",display:!0},{left:"\\ref{",right:"}",display:!1},
{left:"\\eqref{",right:"}",display:!1}],qo=e=>e==="$"||e==="("?Ie[e]:e==="$+"||e==="(+"?Ie[e.slice(0,1)].concat(ut):e==="ams"?ut:e==="all"?Ie["("].concat(Ie.$).
concat(ut):_r,_o=function(e,t){let r=So(e,t.delimiters);if(r.length===1&&r[0].type==="text")return null;let o=document.createDocumentFragment();for(let s=0;s<r.
length;s++)if(r[s].type==="text")o.appendChild(document.createTextNode(r[s].data));else{let i=document.createElement("span"),l=r[s].data;t.displayMode=r[s].display;
try{t.preProcess&&(l=t.preProcess(l)),temml.render(l,i,t)}catch(c){if(!(c instanceof v))throw c;t.errorCallback("Temml auto-render: Failed to parse `"+r[s].data+
"` with ",c),o.appendChild(document.createTextNode(r[s].rawData));continue}o.appendChild(i)}return o},Tr=function(e,t){for(let r=0;r<e.childNodes.length;r++){let o=e.
childNodes[r];if(o.nodeType===3){let s=_o(o.textContent,t);s&&(r+=s.childNodes.length-1,e.replaceChild(s,o))}else if(o.nodeType===1){let s=" "+o.className+" ";t.
ignoredTags.indexOf(o.nodeName.toLowerCase())===-1&&t.ignoredClasses.every(l=>s.indexOf(" "+l+" ")===-1)&&Tr(o,t)}}},To=function(e,t){if(!e)throw new Error("No \
element provided to render");let r={};for(let o in t)Object.prototype.hasOwnProperty.call(t,o)&&(r[o]=t[o]);r.fences?r.delimiters=qo(r.fences):r.delimiters=r.delimiters||
_r,r.ignoredTags=r.ignoredTags||["script","noscript","style","textarea","pre","code","option"],r.ignoredClasses=r.ignoredClasses||[],r.errorCallback=r.errorCallback||
console.error,r.macros=r.macros||Object.create(null),Tr(e,r),qr(e)},Cr=function(e,t,r={}){t.textContent="";let o=t.tagName.toLowerCase()==="math";o&&(r.wrap="no\
ne");let s=ct(e,r);o?(t.textContent="",s.children.forEach(i=>{t.appendChild(i.toNode())})):s.children.length>1?(t.textContent="",s.children.forEach(i=>{t.appendChild(
i.toNode())})):t.appendChild(s.toNode())};typeof document<"u"&&document.compatMode!=="CSS1Compat"&&(typeof console<"u"&&console.warn("Warning: Temml doesn't wor\
k in quirks mode. Make sure your website has a suitable doctype."),Cr=function(){throw new v("Temml doesn't work in quirks mode.")});var Co=function(e,t){return ct(
e,t).toMarkup()},Do=function(e,t){let r=new Pe(t);return Sr(e,r)},Bo=function(e,t){let r=new Pe(t);if(r.macros=Object.create(null),!(typeof e=="string"||e instanceof
String))throw new TypeError("Temml can only parse string typed expression");let o=new Ae(e,r,!0);return delete o.gullet.macros.current["\\df@tag"],o.parse()},Oo=function(e,t,r){
if(r.throwOnError||!(e instanceof v))throw e;let o=new pt(["temml-error"],[new Pr(t+`

`+e.toString())]);return o.style.color=r.errorColor,o.style.whiteSpace="pre-line",o},ct=function(e,t){let r=new Pe(t);try{let o=Sr(e,r),s=new dt({level:r.displayMode?
I.DISPLAY:I.TEXT,maxSize:r.maxSize});return Yr(o,e,s,r)}catch(o){return Oo(o,e,r)}},$o={version:wo,render:Cr,renderToString:Co,renderMathInElement:To,postProcess:qr,
ParseError:v,definePreamble:Bo,__parse:Do,__renderToMathMLTree:ct,__defineSymbol:n,__defineMacro:u};function render(tex,display){let options={displayMode:display,throwOnError:!0,trust:!1,strict:!1,maxExpand:500,maxSize:[20,20]};return $o.__renderToMathMLTree(tex,
options).toNode()}export{render};
