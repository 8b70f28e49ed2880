var h,ee,_e,S,V,A,ne,R,te,q,G,oe,N=Symbol.for("pv"),F={},H=[],de=/^m(i|n|o|s|text|space)$/,I=Array.isArray,j=H.slice,P=Object.assign;function W(_3){_3&&_3.parentNode&&
_3.remove()}function re(_3,e2,n){var r,l2,t,i3={},u2=arguments.length;for(t in e2)t=="key"?r=e2[t]:t=="ref"&&typeof _3!="function"?l2=e2[t]:i3[t]=e2[t];return u2>
2&&(i3.children=u2>3?j.call(arguments,2):n),D(_3,i3,r,l2,null)}function D(_3,e2,n,r,l2){var t={type:_3,props:e2,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:N,__v:l2||++ee,__i:-1,__u:0};return!l2&&h.vnode&&
h.vnode(t),t}function $(_3){return _3.children}function E(_3,e2){this.props=_3,this.context=e2,this.__g=0}function T(_3,e2){if(e2==null)return _3.__&&T(_3.__,_3.__i+1);for(var n;e2<
_3.__k.length;e2++)if((n=_3.__k[e2])&&n.__e)return n.__e;return typeof _3.type!="function"||_3.props.__P?null:T(_3)}function ve(_3){var e2,n=_3.__v,r=n.__e,l2=[],
t=[],i3=_3.__P;i3&&((e2=P({constructor:N},n)).__v=n.__v+1,h.vnode&&h.vnode(e2),K(i3,e2,n,_3.__n,i3.namespaceURI,32&n.__u?[r]:null,l2,r||T(n),32&n.__u,t),e2.__v=
n.__v,e2.__.__k[e2.__i]=e2,ae(l2,e2,t),n.__=n.__e=null,e2.__e!=r&&ie(e2))}function ie(_3){if((_3=_3.__)&&_3.__c&&!_3.props.__P)return _3.__e=null,_3.__k.some(function(e2){
return e2&&(_3.__e=e2.__e)}),ie(_3)}function J(_3){(8&_3.__g||(_3.__g|=8,S.push(_3),A++))&&V==h.debounceRendering||((V=h.debounceRendering)||queueMicrotask)(le)}
function le(){try{for(var _3,e2=1;S.length;)S.length>e2&&S.sort(ne),_3=S.shift(),e2=S.length,8&_3.__g&&ve(_3)}finally{(A=S.length)&&(V||queueMicrotask)(le)}}function ue(_3,e2,n,r,l2,t,i3,u2,p2,m3,s3){
var v3,d4,o2,c3,k3,a3,g4=r.__k||H,f2=e2.length;for(p2=me(n,e2,g4,p2,f2),v3=0;v3<f2;v3++)(o2=n.__k[v3])!=null&&(d4=~o2.__i&&g4[o2.__i]||F,o2.__i=v3,a3=K(_3,o2,d4,
l2,t,i3,u2,p2,m3,s3),c3=o2.__e,(d4.ref!=o2.ref||8&d4.__u)&&(d4.ref&&Q(d4.ref,null,o2,d4),o2.ref&&s3.push(o2.ref,o2.__c||c3,o2)),k3=k3||c3,4&o2.__u?(p2=se(o2,p2,
_3,!d4.__v),d4.__e&&(d4.__e=null)):typeof o2.type=="function"&&a3!==void 0?p2=a3:c3&&(p2=c3.nextSibling),o2.__u&=-21);return n.__e=k3,p2}function me(_3,e2,n,r,l2){
var t,i3,u2,p2,m3,s3,v3,d4,o2,c3=n.length,k3=c3,a3=0,g4=0,f2=_3.__k=Array(l2);for(t=0;t<l2;t++)(i3=e2[t])!=null&&typeof i3!="boolean"&&typeof i3!="function"?(typeof i3!=
"object"||i3.constructor===String?i3=f2[t]=D(null,i3):I(i3)?i3=f2[t]=D($,{children:i3}):i3.constructor===N&&i3.__b?i3=f2[t]=D(i3.type,i3.props,i3.key,i3.ref,i3.
__v):f2[t]=i3,p2=t+a3,i3.__=_3,i3.__b=_3.__b+1,u2=null,~(m3=i3.__i=ke(i3,n,p2,k3))&&(k3--,(u2=n[m3])&&(u2.__u|=2)),u2&&u2.__v?(i3.__u|=16,m3==p2-1?a3--:m3==p2+1?
a3++:m3!=p2&&(m3>p2?a3--:a3++,g4=1)):(~m3||(l2>c3?a3--:l2<c3&&a3++),typeof i3.type!="function"&&(i3.__u|=4))):f2[t]=null;if(g4){for(s3=[],v3=[],t=0;t<l2;t++)if((i3=
f2[t])&&16&i3.__u){for(a3=0,d4=s3.length;a3<d4;)s3[o2=a3+d4>>1]<i3.__i?a3=o2+1:d4=o2;s3[a3]=i3.__i,v3[t]=a3+1}for(a3=s3.length;t--;)v3[t]&&(v3[t]==a3?a3--:f2[t].
__u|=4)}if(k3)for(t=0;t<c3;t++)!(u2=n[t])||2&u2.__u||(u2.__e==r&&(r=T(u2)),X(u2,u2));return r}function se(_3,e2,n,r){var l2,t,i3,u2;if(typeof _3.type=="function"){
if(_3.props.__P)return e2;if(l2=_3.__k)for(t=0;t<l2.length;t++)l2[t]&&(l2[t].__=_3,e2=se(l2[t],e2,n,!1));return e2}for(e2&&!e2.parentNode&&(e2=T(_3))&&!e2.parentNode&&
(e2=null),i3=_3.__e,u2=e2;u2&&u2.nodeType==8;)u2=u2.nextSibling;for(i3!=u2&&(!r&&n.moveBefore&&i3.parentNode?n.moveBefore(i3,e2):n.insertBefore(i3,e2||null)),e2=
i3;(e2=e2&&e2.nextSibling)&&e2.nodeType==8&&!e2.data.startsWith("$s"););return e2}function ke(_3,e2,n,r){var l2,t=_3.key,i3=_3.type,u2=e2[n],p2=u2&&!(2&u2.__u);if(u2===null&&t==null||p2&&t==u2.key&&i3==u2.type)return n;if(r>(p2?1:0)){for(l2=n-
1;l2>=0;l2--)if((u2=e2[l2])&&!(2&u2.__u)&&t==u2.key&&i3==u2.type)return l2;for(l2=n+1;l2<e2.length;l2++)if((u2=e2[l2])&&!(2&u2.__u)&&t==u2.key&&i3==u2.type)return l2}
return-1}function fe(_3,e2,n){n==null&&(n=""),e2[0]=="-"?_3.setProperty(e2,n):_3[e2]=n}function B(_3,e2,n,r,l2){var t,i3;if(e2=="style")if(typeof n=="string")_3.
style.cssText=n;else{if(typeof r=="string"&&(_3.style.cssText=r=""),r)for(e2 in r)n&&e2 in n||fe(_3.style,e2);if(n)for(e2 in n)r&&n[e2]==r[e2]||fe(_3.style,e2,n[e2])}else if(e2[0]==
"o"&&e2[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(_3.__e||(_3.__e={}))[e2]=n,n&&r||(i3=G[e2]||(G[e2]=be(e2)),(_3.__a||(_3.__a={}))[e2]=
q,t=e2!=(e2=e2.replace(te,"$1")),(e2=e2.slice(2))[0]<"a"&&(e2=e2.toLowerCase()),n?_3.addEventListener(e2,i3,t):_3.removeEventListener(e2,i3,t));else{if(l2=="htt\
p://www.w3.org/2000/svg")e2=e2.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e2!="width"&&e2!="height"&&e2!="href"&&e2!="list"&&e2!="form"&&e2!="tabI\
ndex"&&e2!="download"&&e2!="rowSpan"&&e2!="colSpan"&&e2!="role"&&e2!="popover"&&e2 in _3)try{return void(_3[e2]=n??"")}catch{}if(typeof n=="function")return;n==
null||n===!1&&e2[4]!="-"?_3.removeAttribute(e2):_3.setAttribute(e2,e2=="popover"&&n==1?"":n)}}function be(_3){return function(e2){var n=this.__e;if(n){if(n=n[_3],
e2[R]==null)e2[R]=q++;else if(e2[R]<this.__a[_3])return;return n(h.event?h.event(e2):e2)}}}function K(_3,e2,n,r,l2,t,i3,u2,p2,m3){var s3,v3,d4,o2,c3,k3,a3,g4,f2,
b3,y4,O3,Y,L,M3,Z2,C2,U3,x3=e2.type;if(e2.constructor!==N)return null;128&n.__u&&(p2=32&n.__u,s3=n.__c.__z)&&(e2.__u|=p2,v3=t=[],s3.nodeType==8?u2=z(s3,t):t.push(
s3),u2=t[0]||u2),(s3=h.__b)&&s3(e2);e:if(typeof x3=="function"){d4=i3.length;try{if(g4=e2.props,f2=(s3=x3.prototype)&&s3.render,b3=(s3=x3.contextType)&&r[s3.__c],
y4=s3?b3?b3.props.value:s3.__:r,(o2=n.__c)?(e2.__c=o2,2&o2.__g&&(o2.__g|=1)):(f2?e2.__c=o2=new x3(g4,y4):(e2.__c=o2=new E(g4,y4),o2.constructor=x3,o2.render=xe),
b3&&b3.sub(o2),o2.state||(o2.state={}),o2.__n=r,o2.__g|=8,o2.__h=[],o2.__k=[]),f2&&(o2.__s||(o2.__s=o2.state),x3.getDerivedStateFromProps&&(o2.__s==o2.state&&(o2.
__s=P({},o2.__s)),P(o2.__s,x3.getDerivedStateFromProps(g4,o2.__s)))),c3=o2.props,k3=o2.state,o2.__v=e2,n.__c){if(g4!==c3&&f2&&!x3.getDerivedStateFromProps&&o2.componentWillReceiveProps&&
o2.componentWillReceiveProps(g4,y4),e2.__v==n.__v&&!(8&o2.__g)||!(4&o2.__g)&&o2.shouldComponentUpdate&&o2.shouldComponentUpdate(g4,o2.__s,y4)===!1){e2.__v!=n.__v&&
(o2.props=g4,o2.state=o2.__s,o2.__g&=-9),e2.__e=n.__e,e2.__k=n.__k,e2.__k.some(function(w3){w3&&(w3.__=e2)}),H.push.apply(o2.__h,o2.__k),o2.__k=[],o2.__h.length&&
i3.push(o2),u2=T(n);break e}o2.componentWillUpdate&&o2.componentWillUpdate(g4,o2.__s,y4),f2&&o2.componentDidUpdate&&o2.__h.push(function(){o2.componentDidUpdate(
c3,k3,a3)})}else f2&&!x3.getDerivedStateFromProps&&o2.componentWillMount&&o2.componentWillMount(),f2&&o2.componentDidMount&&o2.__h.push(o2.componentDidMount);o2.
context=y4,o2.props=g4,o2.__P=_3,o2.__g&=-5,O3=h.__r,Y=f2?25:0;do o2.__g&=-9,O3&&O3(e2),s3=o2.render(o2.props,o2.state=o2.__s,o2.context);while(8&o2.__g&&++Y<25);
f2&&(H.push.apply(o2.__h,o2.__k),o2.__k=[]),o2.state=o2.__s,o2.getChildContext&&(r=P({},r,o2.getChildContext())),f2&&n.__c&&o2.getSnapshotBeforeUpdate&&(a3=o2.getSnapshotBeforeUpdate(
c3,k3)),L=s3&&s3.type===$&&s3.key==null?s3.props.children:s3,g4.__P&&(s3=u2,l2=(_3=g4.__P).namespaceURI,p2=t=null,n.props&&n.props.__P!=_3&&(n.__k.some(function(w3){
w3&&X(w3,w3)}),n.__k=null),u2=n.__k?T(n,0):null),u2=ue(_3,I(L)?L:[L],e2,n,r,l2,t,i3,u2,p2,m3),g4.__P&&(e2.__e=null,u2=s3),e2.__u&=-161,v3&&v3.some(W),o2.__h.length&&
i3.push(o2),1&o2.__g&&(o2.__g&=-4)}catch(w3){if(i3.length=d4,e2.__v=null,p2||t)if(w3&&w3.then){if(e2.__u|=128|p2,t){for(~(C2=t.indexOf(u2||void 0))||(C2=t.length);(U3=
t[C2-1])&&U3.nodeType==8;)C2--;for(;C2<t.length;C2++)if(U3=t[C2])if(t[C2]=null,M3){if(U3==Z2)break}else{if(U3.nodeType!=8)break;U3.data.startsWith("$s")&&(Z2=z(
M3=U3))}}if(!M3){for(;u2&&u2.nodeType==8&&u2.nextSibling;)u2=u2.nextSibling;M3=u2}(s3=z(M3=e2.__c.__z||(e2.__c.__z=M3)))?(e2.__e=M3,u2=s3):e2.__e=u2,u2=u2&&u2.nextSibling}else
t&&t.some(W);else e2.__e=n.__e;e2.__k||(e2.__k=n.__k||[]),w3&&w3.then||pe(e2),h.__e(w3,e2,n)}}else u2=e2.__e=we(n.__e,e2,n,r,l2,t,i3,p2,m3,_3);return(s3=h.diffed)&&
s3(e2),u2}function z(_3,e2){if(_3&&_3.nodeType==8&&_3.data.startsWith("$s"))for(var n=1;_3=_3.nextSibling;){if(_3.nodeType==8){if(_3.data.startsWith("$s"))n++;else if(_3.
data.startsWith("/$s")&&!--n)return _3}e2&&e2.push(_3)}}function pe(_3){_3&&(_3.__c&&(_3.__c.__g|=4),_3.__k&&_3.__k.some(pe))}function ae(_3,e2,n){for(var r=0;r<
n.length;)Q(n[r++],n[r++],n[r++]);h.__c&&h.__c(e2,_3),_3.some(function(l2){try{_3=l2.__h,l2.__h=[],_3.some(function(t){t.call(l2)})}catch(t){h.__e(t,l2.__v)}})}
function we(_3,e2,n,r,l2,t,i3,u2,p2,m3){var s3,v3,d4,o2,c3,k3,a3,g4,f2=n.props||F,b3=e2.props,y4=e2.type;if(y4=="svg"?l2="http://www.w3.org/2000/svg":y4=="math"?
l2="http://www.w3.org/1998/Math/MathML":l2||(l2="http://www.w3.org/1999/xhtml"),t){for(s3=0;s3<t.length;s3++)if((c3=t[s3])&&(y4?c3.localName==y4:c3.nodeType==3)){
_3=c3,t[s3]=null;break}}if(!_3){if(g4=m3.ownerDocument||document,!y4)return g4.createTextNode(b3);_3=g4.createElementNS(l2,y4,b3.is?b3:m3),u2&&(h.__m&&h.__m(e2,
t),u2=!1),t=null}if(y4){if(m3=y4=="template"&&_3.content||_3,t=y4=="textarea"&&b3.defaultValue!=null?null:t&&j.call(m3.childNodes),!u2&&t)for(f2={},s3=0;s3<_3.attributes.
length;s3++)f2[(c3=_3.attributes[s3]).name]=c3.value;for(s3 in f2)c3=f2[s3],s3=="dangerouslySetInnerHTML"?d4=c3:s3=="children"||s3 in b3||s3=="value"&&"defaultV\
alue"in b3||s3=="checked"&&"defaultChecked"in b3||B(_3,s3,null,c3,l2);for(s3 in b3)c3=b3[s3],s3=="children"?o2=c3:s3=="dangerouslySetInnerHTML"?v3=c3:s3=="value"?
k3=c3:s3=="checked"?a3=c3:u2&&typeof c3!="function"||f2[s3]===c3||B(_3,s3,c3,f2[s3],l2);v3?(u2||d4&&(v3.__html==d4.__html||v3.__html==_3.innerHTML)||(_3.innerHTML=
v3.__html),e2.__k=[]):(d4&&(_3.textContent=""),(y4=="foreignObject"||l2=="http://www.w3.org/1998/Math/MathML"&&de.test(y4))&&(l2="http://www.w3.org/1999/xhtml"),
ue(m3,I(o2)?o2:[o2],e2,n,r,l2,t,i3,t?t[0]:n.__k&&T(n,0),u2,p2),t&&t.some(W)),u2&&y4!="textarea"||(s3="value",y4=="progress"&&k3==null?_3.removeAttribute(s3):k3==
null||k3===_3[s3]&&(y4!="progress"||k3)||B(_3,s3,k3,f2[s3],l2),s3="checked",a3!=null&&a3!=_3[s3]&&B(_3,s3,a3,f2[s3],l2))}else f2===b3||u2&&_3.data==b3||(_3.data=
b3);return _3}function Q(_3,e2,n,r){try{typeof _3=="function"?e2?e2.__x=_3(e2)||1:r&&(r=r.__c||r.__e)&&(e2=r.__x)&&(r.__x=null,typeof e2=="function"?e2():_3(null)):
_3.current=e2}catch(l2){h.__e(l2,n)}}function X(_3,e2,n){var r,l2,t,i3;if(h.unmount&&h.unmount(_3),!(r=_3.ref)||r.current&&r.current!=_3.__e||Q(r,null,e2,_3),r=
_3.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(u2){h.__e(u2,e2)}r.__P=r.__n=null}if(r=_3.__k)for(i3=0;i3<r.length;i3++)r[i3]&&X(r[i3],e2,typeof _3.
type!="function"||n&&!_3.props.__P);!n&&(r=_3.__c)&&(r=r.__z)&&(l2=z(r,t=[]))&&(r==_3.__e&&t.some(W),W(l2),W(r)),n||W(_3.__e),_3.__e=_3.__c=_3.__=null}function xe(_3,e2,n){
return this.constructor(_3,n)}function he(_3,e2){var n,r,l2,t;h.__&&h.__(_3,e2),e2.nodeType==9&&(e2=e2.documentElement),r=(n=_3&&32&_3.__u)?null:e2.__k,e2.__k=D(
$,{children:[_3]}),l2=[],t=[],K(e2,e2.__k,r||F,F,e2.namespaceURI,r?null:e2.firstChild?j.call(e2.childNodes):null,l2,r?r.__e:e2.firstChild,n,t),ae(l2,e2.__k,t),e2.
__k.props.children=null}h={__e:function(_3,e2,n,r){for(var l2,t,i3;e2=e2.__;)if((l2=e2.__c)&&!(1&l2.__g)){l2.__g|=4;try{if((i3=(t=l2.constructor)&&t.getDerivedStateFromError)&&l2.setState(
t.getDerivedStateFromError(_3)),l2.componentDidCatch&&(l2.componentDidCatch(_3,r||{}),i3=1),i3&&8&l2.__g)return void(l2.__g|=2)}catch(u2){_3=u2}}throw A=0,_3}},
ee=0,_e=function(_3){return _3!=null&&_3.constructor===N},E.prototype.setState=function(_3,e2){var n=this.__s;n&&n!=this.state||(n=this.__s=P({},this.state)),typeof _3==
"function"&&(_3=_3(P({},n),this.props)),_3&&(P(n,_3),this.__v&&(e2&&this.__k.push(e2),J(this)))},E.prototype.forceUpdate=function(_3){this.__v&&(this.__g|=4,_3&&
this.__h.push(_3),J(this))},E.prototype.render=$,S=[],A=0,ne=function(_3,e2){return _3.__v.__b-e2.__v.__b},R=Symbol(),te=/(PointerCapture)$|Capture$/i,q=0,G={},
oe=0;var i,e,d,A2,H2=Object.is,a=0,D2=[],y=[],o=h,F2=o.__b,k=o.__r,q2=o.diffed,x=o.__c,E2=o.unmount,T2=o.__;function c(_3,t){o.__h&&o.__h(e,_3,a||t),a=0;var n=e.__H||
(e.__H={__:[],__h:[]});return _3>=n.__.length&&n.__.push({}),n.__[_3]}function w(_3){return a=1,V2(O,_3)}function V2(_3,t,n){var u2=c(i++,2);if(u2.t=_3,!u2.__c&&
(u2.__=[n?n(t):O(void 0,t),function(f2){var h2=(u2.__N||u2.__)[0],m3=u2.t(h2,f2);H2(h2,m3)||(u2.__N=[m3,u2.__[1]],u2.__c.setState({}))}],u2.__c=e,!e.__f)){e.__f=
!0;var r=e.shouldComponentUpdate;e.shouldComponentUpdate=function(f2,h2,m3){var C2=this.__H;if(!C2)return!0;var v3=!1,l2=this.props!=f2;if(C2.__.some(function(p2){
p2.__N&&(v3=!0,H2(p2.__[0],p2.__N[0])||(l2=!0))}),r){var N3=r.call(this,f2,h2,m3);return v3?N3||l2:N3}return!v3||l2}}return u2.__}function S2(_3,t){var n=c(i++,
3);!o.__s&&P2(n.__H,t)&&(n.__P=!0,n.__=_3,n.u=t,e.__H.__h.push(n))}function j2(_3,t){var n=c(i++,4);!o.__s&&P2(n.__H,t)&&(n.__P=!1,n.__=_3,n.u=t,e.__h.push(n))}
function U(_3){return a=5,b(function(){return{current:_3}},[])}function b(_3,t){var n=c(i++,7);return P2(n.__H,t)&&(n.__=_3(),n.__H=t),n.__}function K2(){var _3=c(i++,11);if(!_3.__){for(var t=e.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);_3.__="P"+n[0]+"-"+n[1]++}return _3.__}function Q2(){var _3;
do{for(;_3=y.shift();)try{s(_3)}catch(n){o.__e(n,{__:(_3=_3.__P)&&_3.__v})}for(;_3=D2.shift();){var t=_3.__H;if(_3.__P&&t)try{t.__h.some(s),t.__h.some(g),t.__h=
[]}catch(n){t.__h=[],o.__e(n,_3.__v)}}}while(y.length)}o.__b=function(_3){e=null,F2&&F2(_3)},o.__=function(_3,t){_3&&t.__k&&t.__k.__m&&(_3.__m=t.__k.__m),T2&&T2(
_3,t)},o.__r=function(_3){k&&k(_3),i=0;var t=(e=_3.__c).__H;t&&(d==e?e.__h=[]:(t.__h.some(s),t.__h.some(g),i=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),
n.u=n.__N=void 0})),d=e},o.diffed=function(_3){q2&&q2(_3);var t=_3.__c;t&&t.__H&&(t.__H.__h.length&&I2(D2.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),
d=e=null},o.__c=function(_3,t){t.some(function(n){try{n.__h.some(s),n.__h=n.__h.filter(function(u2){return!u2.__||g(u2)})}catch(u2){n.__h=[function(){throw u2}]}}),
x&&x(_3,t)},o.unmount=function(_3){E2&&E2(_3);var t,n,u2=_3.__c;u2&&u2.__H&&(u2.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=_3.__;n&&(!n.__c||
!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,I2(y.push(r))}else s(r)}catch(f2){t=f2}}),u2.__H=void 0,t&&o.__e(t,u2.__v))};var B2=typeof requestAnimationFrame=="functi\
on";function W2(_3){var t,n=function(){clearTimeout(u2),B2&&cancelAnimationFrame(t),setTimeout(_3)},u2=setTimeout(n,35);B2&&(t=requestAnimationFrame(n))}function I2(_3){
_3!=1&&A2==o.requestAnimationFrame||((A2=o.requestAnimationFrame)||W2)(Q2)}function s(_3){var t=e,n=_3.__c;typeof n=="function"&&(_3.__c=void 0,n()),e=t}function g(_3){
var t=e;_3.__c=_3.__(),e=t}function P2(_3,t){return!_3||_3.length!=t.length||t.some(function(n,u2){return!H2(n,_3[u2])})}function O(_3,t){return typeof t=="func\
tion"?t(_3):t}var W3=Symbol.for("preact-signals");function y2(){if(u>1)u--;else{var t,i3=!1;for((function(){var r=w2;for(w2=void 0;r!==void 0;){var h2=r.S;if(h2.v===r.v)for(var e2=h2.
t;e2!==void 0;e2=e2.x)e2.i===r.i&&(e2.i=h2.i);r=r.o}})();p!==void 0;){var o2=p;for(p=void 0,S3++;o2!==void 0;){var n=o2.u;if(o2.u=void 0,o2.f&=-3,!(8&o2.f)&&E3(
o2))try{o2.c()}catch(r){i3||(t=r,i3=!0)}o2=n}}if(S3=0,u--,i3)throw t}}function g2(t){if(u>0)return t();x2=++Z,u++;try{return t()}finally{y2()}}var v,f=void 0;function l(t){
var i3=f,o2=v;f=void 0,v=void 0;try{return t()}finally{f=i3,v=o2}}var p=void 0,u=0,S3=0,Z=0,x2=0,w2=void 0,b2=0;function m(t){if(f!==void 0){var i3=t.n;if(i3===
void 0||i3.t!==f)return i3={i:0,S:t,p:f.s,n:void 0,t:f,e:void 0,x:void 0,r:i3},f.s!==void 0&&(f.s.n=i3),f.s=i3,t.n=i3,32&f.f&&t.S(i3),i3;if(i3.i===-1)return i3.
i=0,i3.n!==void 0&&(i3.n.p=i3.p,i3.p!==void 0&&(i3.p.n=i3.n),i3.p=f.s,i3.n=void 0,f.s.n=i3,f.s=i3),i3}}function s2(t,i3){this.v=t,this.i=0,this.n=void 0,this.t=
void 0,this.l=0,this.W=i3?.watched,this.Z=i3?.unwatched,this.name=i3?.name}s2.prototype.brand=W3,s2.prototype.h=function(){return!0},s2.prototype.S=function(t){
var i3=this,o2=this.t;o2!==t&&t.e===void 0&&(t.x=o2,this.t=t,o2!==void 0?o2.e=t:l(function(){var n;(n=i3.W)==null||n.call(i3)}))},s2.prototype.U=function(t){var i3=this;
if(this.t!==void 0){var o2=t.e,n=t.x;o2!==void 0&&(o2.x=n,t.e=void 0),n!==void 0&&(n.e=o2,t.x=void 0),t===this.t&&(this.t=n,n===void 0&&l(function(){var r;(r=i3.
Z)==null||r.call(i3)}))}},s2.prototype.subscribe=function(t){var i3=this;return k2(function(){var o2=i3.value;l(function(){return t(o2)})},{name:"sub"})},s2.prototype.
valueOf=function(){return this.value},s2.prototype.toString=function(){return this.value+""},s2.prototype.toJSON=function(){return this.value},s2.prototype.peek=
function(){var t=this;return l(function(){return t.value})},Object.defineProperty(s2.prototype,"value",{get:function(){var t=m(this);return t!==void 0&&(t.i=this.
i),this.v},set:function(t){if(t!==this.v){if(S3>100)throw new Error("Cycle detected");(function(o2){u!==0&&S3===0&&o2.l!==x2&&(o2.l=x2,w2={S:o2,v:o2.v,i:o2.i,o:w2})})(
this),this.v=t,this.i++,b2++,u++;try{for(var i3=this.t;i3!==void 0;i3=i3.x)i3.t.N()}finally{y2()}}}});function D3(t,i3){return new s2(t,i3)}function E3(t){for(var i3=t.
s;i3!==void 0;i3=i3.n)if(i3.S.i!==i3.i||!i3.S.h()||i3.S.i!==i3.i)return!0;return!1}function U2(t){for(var i3=t.s;i3!==void 0;i3=i3.n){var o2=i3.S.n;if(o2!==void 0&&
(i3.r=o2),i3.S.n=i3,i3.i=-1,i3.n===void 0){t.s=i3;break}}}function C(t){for(var i3=t.s,o2=void 0;i3!==void 0;){var n=i3.p;i3.i===-1?(i3.S.U(i3),n!==void 0&&(n.n=
i3.n),i3.n!==void 0&&(i3.n.p=n)):o2=i3,i3.S.n=i3.r,i3.r!==void 0&&(i3.r=void 0),i3=n}t.s=o2}function a2(t,i3){s2.call(this,void 0,i3),this.x=t,this.s=void 0,this.
g=b2-1,this.f=4}a2.prototype=new s2,a2.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===b2))return!0;if(this.g=b2,
this.f|=1,this.i>0&&!E3(this))return this.f&=-2,!0;var t=f;try{U2(this),f=this;var i3=this.x();(16&this.f||this.v!==i3||this.i===0)&&(this.v=i3,this.f&=-17,this.
i++)}catch(o2){this.v=o2,this.f|=16,this.i++}return f=t,C(this),this.f&=-2,!0},a2.prototype.S=function(t){if(this.t===void 0){this.f|=36;for(var i3=this.s;i3!==
void 0;i3=i3.n)i3.S.S(i3)}s2.prototype.S.call(this,t)},a2.prototype.U=function(t){if(this.t!==void 0&&(s2.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;
for(var i3=this.s;i3!==void 0;i3=i3.n)i3.S.U(i3)}},a2.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}},Object.defineProperty(
a2.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=m(this);if(this.h(),t!==void 0&&(t.i=this.i),16&this.f)throw this.v;return this.
v}});function J2(t,i3){return new a2(t,i3)}function N2(t){var i3=t.j;if(t.j=void 0,typeof i3=="function"){u++;var o2=f;f=void 0;try{i3()}catch(n){throw t.f&=-2,
t.f|=8,j3(t),n}finally{f=o2,y2()}}}function j3(t){for(var i3=t.s;i3!==void 0;i3=i3.n)i3.S.U(i3);t.x=void 0,t.s=void 0,N2(t)}function M(t){if(f!==this)throw new Error(
"Out-of-order effect");C(this),f=t,this.f&=-2;try{8&this.f&&j3(this)}finally{y2()}}function d2(t,i3){this.x=t,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,
this.name=i3?.name,v&&v.push(this)}d2.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)return;var i3=this.x();typeof i3=="function"&&(this.
j=i3)}finally{t()}},d2.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,N2(this),U2(this),u++;var t=f;return f=this,M.bind(
this,t)},d2.prototype.N=function(){2&this.f||(this.f|=2,this.u=p,p=this)},d2.prototype.d=function(){this.f|=8,1&this.f||j3(this)},d2.prototype.dispose=function(){
this.d()};function k2(t,i3){var o2=new d2(t,i3);try{o2.c()}catch(r){throw o2.d(),r}var n=o2.d.bind(o2);return n[Symbol.dispose]=n,n}var g3,c2,y3,V3=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var q3=[];k2(function(){g3=this.N})();function v2(i3,e2){h[i3]=e2.bind(null,h[i3]||function(){})}function d3(i3){if(y3){var e2=y3;y3=void 0,e2()}y3=i3&&i3.S()}function E4(i3){
var e2=this,n=i3.data,t=F3(n);t.name="ReactiveDom",t.value=n;var o2=b(function(){for(var a3=e2,_3=e2.__v;_3=_3.__;)if(_3.__c){_3.__c.__$f|=4;break}var f2=J2(function(){
var l2=t.value.value;return l2===0?0:l2===!0?"":l2||""}),s3=J2(function(){return!Array.isArray(f2.value)&&!_e(f2.value)}),R2=k2(function(){if(this.N=M2,s3.value){
var l2=f2.value;a3.__v&&a3.__v.__e&&a3.__v.__e.nodeType===3&&(a3.__v.__e.data=l2)}}),U3=e2.__$u.d;return e2.__$u.d=function(){R2(),U3.call(this)},[s3,f2]},[]),r=o2[0],
u2=o2[1];return r.value?u2.peek():u2.value}E4.displayName="ReactiveTextNode",Object.defineProperties(s2.prototype,{constructor:{configurable:!0,value:re($,null).
constructor},type:{configurable:!0,value:E4},props:{configurable:!0,get:function(){var i3=this;return{data:{get value(){return i3.value}}}}},__b:{configurable:!0,
value:1}}),v2("__b",function(i3,e2){if(d3(),c2=void 0,typeof e2.type=="string"){var n,t=e2.props;for(var o2 in t)if(o2!=="children"){var r=t[o2];r instanceof s2&&
(n||(e2.__np=n={}),n[o2]=r,t[o2]=r.peek())}}i3(e2)}),v2("__r",function(i3,e2){if(i3(e2),e2.type!==$){d3();var n,t=e2.__c;t&&(t.__$f&=-2,(n=t.__$u)===void 0&&(t.
__$u=n=(function(o2,r){var u2;return k2(function(){u2=this},{name:r}),u2.c=o2,u2})((function(o2){return function(){var r;V3&&((r=this.y)==null||r.call(this)),o2.
__$f|=1,o2.setState({})}})(t),typeof e2.type=="function"?e2.type.displayName||e2.type.name:""))),c2=t,d3(n)}}),v2("__e",function(i3,e2,n,t){d3(),c2=void 0,i3(e2,
n,t)}),v2("diffed",function(i3,e2){d3(),c2=void 0;var n;if(typeof e2.type=="string"&&(n=e2.__e)){var t=e2.__np,o2=e2.props,r=n.U;if(r)for(var u2 in r){var a3=r[u2];
a3===void 0||t&&u2 in t||(a3.d(),r[u2]=void 0)}if(t){r||(r={},n.U=r);for(var _3 in t){var f2=r[_3],s3=t[_3];f2===void 0?(f2=D4(n,_3,s3,o2),r[_3]=f2):f2.o(s3,o2)}}}
i3(e2)});function D4(i3,e2,n,t){var o2=e2 in i3&&i3.ownerSVGElement===void 0,r=D3(n);return{o:function(u2,a3){r.value=u2,t=a3},d:k2(function(){this.N=M2;var u2=r.
value.value;t[e2]!==u2&&(t[e2]=u2,o2?i3[e2]=u2:u2!=null&&(u2!==!1||e2[4]==="-")?i3.setAttribute(e2,u2):i3.removeAttribute(e2))})}}v2("unmount",function(i3,e2){if(typeof e2.
type=="string"){var n=e2.__e;if(n){var t=n.U;if(t){n.U=void 0;for(var o2 in t){var r=t[o2];r&&r.d()}}}var u2=e2.__np;if(u2){var a3=e2.props;for(var _3 in u2)a3[_3]=
u2[_3]}e2.__np=void 0}else{var f2=e2.__c;if(f2){f2.__$f|=8;var s3=f2.__$u;s3&&(f2.__$u=void 0,s3.d())}}i3(e2)}),v2("__h",function(i3,e2,n,t){t<3&&(e2.__$f|=2),i3(
e2,n,t)}),E.prototype.shouldComponentUpdate=function(i3,e2){if(this.__R)return!0;var n=this.__$u,t=n&&n.s!==void 0;for(var o2 in e2)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var r=2&this.__$f;if(!(t||r||4&this.__$f)||1&this.__$f)return!0}else if(!(t||4&this.__$f)||3&this.__$f)return!0;for(var u2 in i3)if(u2!==
"__source"&&i3[u2]!==this.props[u2])return!0;for(var a3 in this.props)if(!(a3 in i3))return!0;return!1};function F3(i3,e2){return b(function(){return D3(i3,e2)},
[])}var P3=function(i3){queueMicrotask(function(){queueMicrotask(i3)})};function z2(){g2(function(){for(var i3;i3=q3.shift();)g3.call(i3)})}function M2(){q3.push(this)===1&&(h.requestAnimationFrame||P3)(z2)}var base=new URL("../",location.href.split("#")[0]),credentials={token:"",refused:(_error,_token)=>{}},offline=D3(!1),ApiError=class extends Error{constructor(status,message,code=null,request_id=null,param=null,retry_after=null,asked=!1,run=null,type=null){
super(message);this.status=status;this.code=code;this.request_id=request_id;this.param=param;this.retry_after=retry_after;this.asked=asked;this.run=run;this.type=
type}status;code;request_id;param;retry_after;asked;run;type};async function call(path,request={}){let headers=new Headers(request.headers),token=request.key??credentials.
token;token&&headers.set("Authorization",`Bearer ${token}`);let answer=await send(path,{method:request.method??(request.body===void 0?"GET":"POST"),headers,body:encode(
request.body,headers),signal:request.signal,credentials:"omit",cache:"no-store",redirect:"error"});if(answer.ok)return answer;let error=await errorOf(answer);throw answer.
status===401&&request.key===void 0&&credentials.refused(error,token),error}async function get(path,request={}){return await(await call(path,request)).json()}function isAbort(error){
return error instanceof DOMException&&error.name==="AbortError"}function query(parameters){let pairs=Object.entries(parameters).filter(([,value])=>value!==void 0&&
value!=="");return pairs.length?`?${new URLSearchParams(pairs.map(([name,value])=>[name,String(value)]))}`:""}async function send(path,init){try{let answer=await fetch(
new URL(path.replace(/^\//,""),base),init);return offline.value=!1,answer}catch(error){throw isAbort(error)?error:(offline.value||(offline.value=!0,awaitReturn()),
new ApiError(0,String(error)))}}function encode(body,headers){return body===void 0||body instanceof FormData||body instanceof Blob?body:(headers.has("Content-Ty\
pe")||headers.set("Content-Type","application/json"),typeof body=="string"?body:JSON.stringify(body))}async function errorOf(answer){let id=answer.headers.get("\
x-request-id"),wait=Number(answer.headers.get("Retry-After")??NaN),after=Number.isFinite(wait)?wait:null,run=answer.headers.get("x-run-id"),asked=Number(answer.
headers.get("x-parley-attempts")??0)>0;try{let{error}=await answer.json(),{message,code,param,type=null}=error;return new ApiError(answer.status,message,code,error.
request_id??id,param,after,asked,run,type)}catch{return new ApiError(answer.status,`${answer.status} ${answer.statusText}`.trim(),null,id,null,after)}}async function awaitReturn(){
for(let wait=500;offline.value;wait=Math.min(wait*2,5e3)){await new Promise(resume=>setTimeout(resume,wait));try{await fetch(new URL("livez",base),{credentials:"\
omit",cache:"no-store"}),offline.value=!1}catch{}}}var words={product:"Parley",pages:{start:"First steps",chat:"Chat",conversations:"Conversations",overview:"Overview",runs:"Runs",usage:"Usage",files:"Files",keys:"\
Keys",groups:"Groups",models:"Models",audit:"Audit",log:"Log",settings:"Settings"},frame:{skip:"Skip to the page",menu:"Menu",pages:"Pages",admin:"Administratio\
n",newChat:"New chat",recent:"Recent",signOut:"Sign out",notOut:"The gateway failed, so it is not known whether your session has ended. Sign out again.",notOutAway:"\
The gateway can’t be reached, so your session may go on. Sign out again when it is back.",openGateway:"No keys yet: open to this machine",theme:"Colours",themes:{
auto:"As the system",light:"Light",dark:"Dark"},keyboard:"Keyboard",offline:"The gateway can’t be reached. What was read stays here; the page tries again by its\
elf.",unknown:"This page doesn’t exist",unknownText:"The address leads nowhere, or your key may not open what is there.",home:"To the first page"},signIn:{title:"\
Sign in",text:"A key of this gateway is your account.",key:"Key",submit:"Sign in",busy:"Signing in …",with:name=>`Sign in with ${name}`,foreign:"This sign-in \
was not begun in this tab.",mixed:"The answer does not name the issuer that you chose, so it may be from another one.",declined:"The issuer did not sign you in.",
keep:"Keep me signed in",note:"The key is exchanged for a session, which ends an hour after the last tab. The browser stores no key.",noteKept:"The session stay\
s in this browser for up to 30 days, until you sign out. Not for a computer that others use.",ends:{revoked:"This key was revoked.",expired:"This key has expire\
d.",ended:"Your session has ended.",closed:"This gateway has its first key now, and asks for a key."},stays:"What you have written is still there when you sign \
in with a key of the same owner."},state:{loading:"Loading …",empty:"Nothing here yet",refused:"The gateway refused this",offline:"The gateway can’t be reache\
d",updated:"Parley was updated",updatedText:"This page is of the version before. What you have not sent yet is gone after a reload.",reload:"Reload",retry:"Retr\
y",request:"Request",more:"Show more"},actions:{copy:"Copy",copied:"Copied",close:"Close",cancel:"Cancel",save:"Save",delete:"Delete",download:"Download"},keyboard:{
title:"Keyboard",search:"Search",new:"New chat",send:"Send the message",break:"New line in the message",stop:"Stop the answer",help:"This list",letters:"Single \
letters are shortcuts"},units:{none:"–",tokens:{one:"{n} token",other:"{n} tokens"},ms:"{n} ms",s:"{n} s",min:"{n} min",h:"{n} h",d:"{n} d"},range:{title:"Tim\
e",any:"Any time",last:{"1h":"Last hour","24h":"Last 24 hours","7d":"Last 7 days","30d":"Last 30 days"},own:"From … to …",from:"From",to:"To"},draw:{table:"\
Table",code:"Code",plain:"text",image:"image",formula:"Formula",wrap:"Wrap lines",showAddress:"Address of the image:"},start:{title:"Welcome to Parley",text:"Th\
e gateway runs, has no keys yet, and is open to this machine alone.",say:"Say something",sayText:"The model “echo” repeats what you write. It needs no provider \
and no key.",sayHello:"Hello there",saySend:"Send to {model}",provider:"Add a provider",providerText:"Put this into the configuration, check it, and start the g\
ateway with it.",providers:{openai:"OpenAI",anthropic:"Anthropic",vllm:"vLLM",ollama:"Ollama"},providerName:"Provider",copyYaml:"Copy the configuration",check:"\
Check and start",away:"Don’t show this page first",awayText:"While the gateway has no keys, “First steps” in the menu brings you back."},chat:{ceiling:"Wh\
at is left of this conversation’s ceiling",untitled:"Conversation",messages:"Messages",you:"You",answer:"Answer",empty:"What would you like to ask?",emptyText:"\
The gateway keeps the answer. It survives a reload, a lost connection and a restart.",message:"Message",placeholder:"Write a message …",send:"Send",stop:"Stop",
attach:"Attach files",attached:"Attached files",uploading:"Uploading {name} …",detach:"Remove {name}",drop:"Drop files here",model:"Model",options:"Options",instruction:"\
Instruction",instructionHint:"How the model should answer, in the whole conversation",temperature:"Temperature",maxTokens:"Max tokens",byModel:"as the model doe\
s",tools:"Tools, as JSON",toolsHint:"A list of functions, as in OpenAI’s API. The page runs none of them.",toolsWrong:"This is not a list in JSON.",store:"Sto\
re the conversation",notSent:"Not sent",notKnown:"The page was left before this message had arrived.",notStored:"Not stored: this chat is gone when the page is.",
lmc:"Answer as LMC: code, output and images in parts of their own",computer:"Run the assistant’s code on the computer; each time I am asked first",mayRun:"Thi\
s code waits. May it run on the computer?",allow:"Allow",refuse:"Do not allow",steps:"The run has executed as much as it may.",branches:"Branches",earlier:"Show\
 earlier messages",latest:"To the newest message",hit:"Found by the search",begins:"Answer begins",complete:"Answer complete",broken:"The answer has ended early",
waiting:"Waiting for the first words …",cut:"The connection was cut. The answer goes on as soon as it is back …",goOn:"Continue",finishes:{length:"The answe\
r has reached its max tokens.",content_filter:"A content filter has ended the answer, so something may be missing.",refusal:"The model refused to answer."},finish:"\
The model stopped for a reason of its own: {reason}",noWords:"The answer was empty.",ends:{incomplete:"The answer broke off.",failed:"There is no answer.",cancelled:"\
Stopped."},estimated:"estimated",cost:"cost {cost}",firstPiece:"first words after {time}",copyText:"Copy the text",edit:"Edit the message",editText:"The edited \
message begins a branch of its own. The old one stays.",again:"Regenerate",againWith:"Regenerate with another model",compare:"Compare with another model",comparing:"\
Also asks {model}",compareNot:"Ask one model alone",two:"Two answers",keep:"Continue with this",code:"Show as a program",codeText:"The key is read from the envi\
ronment: PARLEY_API_KEY.",languages:{curl:"curl",python:"Python",node:"Node"},branchOf:"{n} of {of}",branchBefore:"The branch before",branchAfter:"The next bran\
ch",speed:"{n} tokens/s",export:"Export as Markdown",exported:"The conversation is saved.",instructionEdit:"Edit the instruction",instructionLater:"It holds fro\
m your next message on.",results:"The model waits for the results of its calls.",resultOf:"Result of {name}",resultsSend:"Send results",reasoning:"Reasoning",thinking:"\
Thinking …",thought:"Thought for {time}",call:"Call of",result:"Result of the call",console:"Output",confirmation:"This code asks to be run. The page itself r\
uns nothing.",error:"Error",image:"Image of the answer"},failed:{named:"The provider {provider}",unnamed:"The provider",rate:"{who} is rate limited",key:"{who} \
does not accept the gateway’s key",unreachable:"{who} can’t be reached",slow:"{who} did not answer in time",cut:"{who} broke off its answer",refused:"{who} \
refused the request",broken:"{who} has failed",unhealthy:"No provider of this model works at the moment",budget:"The budget is used up",overBudget:"This call ma\
y need more than what is left of the budget",limit:"Your key has reached its limit",model:"There is no such model",gateway:"The gateway can’t do this now",stopped:"\
The gateway was stopped during the answer",exported:"It was exported before it was complete",again:"again in {time}",renewed:"renewed in {time}",retry:"Retry",run:"\
Open the run",edit:"Edit the message"},branches:{title:"Branches",help:"Arrow keys move, Enter opens a branch.",fork:"Fork from “{what}”",forked:"A new conv\
ersation was made from this branch.",removed:"Deleted message",noText:"Message without text",place:"branch {n} of {of}"},chats:{title:"Chats",all:"All",search:"\
Search chats",pinned:"Pinned",week:"Last 7 days",month:"Last 30 days",older:"Older",none:"No chats yet",pin:"Pin",unpin:"Unpin",pinnedNow:"Pinned",unpinned:"No \
longer pinned",rename:"Rename",programs:"From the API",programsNone:"Programs have stored nothing",programsAll:"All from the API"},conversations:{search:"Search\
 messages and titles",find:"Search",syntax:'All words are found. "Words in quotes" stand together, word* finds beginnings, -word leaves out.',origin:"Made by",origins:{
all:"All",console:"Chats",api:"From the API"},filter:"Filter by label",filterSubmit:"Filter",filterClear:"All conversations",filterBy:"Only conversations with t\
his label",none:"No conversations yet",noneText:"What you say in a chat is kept here.",noneFiltered:"No conversation has this label",untitled:"Untitled",shown:{
one:"{n} conversation",other:"{n} conversations"},found:{one:"{n} match",other:"{n} matches"},results:"Search results",notFound:"Nothing was found",incomplete:"\
The search index is still catching up: newer messages may be missing.",inTitle:"Title",roles:{user:"You",assistant:"Answer",system:"Instruction",developer:"Inst\
ruction",tool:"Tool result",computer:"Output of code",other:"Message"},edit:"Title and labels",title:"Title",labels:"Labels",labelName:"Name",labelValue:"Value",
labelAdd:"Add a label",labelRemove:"Remove this label",saved:"Saved",export:"Export",exported:"The archive is saved.",deleteTitle:"Delete this conversation?",deleteText:"\
“{title}” is deleted with all its branches and runs. This can’t be undone.",deleted:"The conversation is deleted.",import:"Import",importHint:"Drop an arc\
hive or the conversations.json of a ChatGPT export here",importDone:"Import",imported:{one:"{n} conversation imported",other:"{n} conversations imported"},messages:{
one:"{n} message",other:"{n} messages"},warnings:{one:"{n} warning",other:"{n} warnings"},open:"Open the conversation"},runs:{one:"Run",back:"All runs",none:"No\
 runs yet",noneText:"Each call of a model appears here within two seconds, stored or not.",noneFiltered:"No run fits the filters",clear:"Clear the filters",moreFilters:"\
More filters",error:"Error code",kept:"Stored or not",stored:"Stored",notStored:"Not stored",notStoredText:"This call was not stored: its text is nowhere, and i\
ts figures are kept for a while.",noErrorText:"The client got the message of the error; it is not kept here, because it may have words of the request.",otherKey:"\
The text of this run belongs to its key.",slow:"Duration at least (ms)",id:"Open a run",idHint:"run_…",idHintAdmin:"run_… or req_…",idWrong:"This takes th\
e id of a run: run_ and 32 letters and digits, from the header X-Run-Id. By the id of a request (req_…), administrators find it.",idWrongAdmin:"This takes the\
 id of a run or of its request: run_ or req_, and 32 letters and digits.",idLost:"The log of this gateway has no run for this request, or not any more. Enter th\
e id of the run: run_…",incomplete:"The text so far is kept.",family:"API",httpStatus:"HTTP status",open:"Open the chat",inAll:"{time} in all",timeline:{wait:"\
Until the first words",words:"Answer",failed:"Failed"},live:"Live",connecting:"Connecting …",whose:"Runs of",own:"this key",all:"all keys",any:"Any",words:{queued:"\
Waiting",running:"Running",completed:"Completed",failed:"Failed",cancelled:"Cancelled",client_left:"Client left",refused:"Refused"},outcomes:{running:"Running",
completed:"Completed",failed:"Failed",cancelled:"Cancelled",lost:"Lost"},begun:"Started",ended:"Ended",status:"Status",model:"Model",provider:"Provider",key:"Ke\
y",group:"Group",duration:"Duration",tokens:"Tokens in → out",inOut:"{in} → {out}",tokensIn:"Tokens in",tokensOut:"Tokens out",cost:"Cost",attempts:"Attempt\
s",attemptsMany:{one:"{n} attempt",other:"{n} attempts"},cache:"Answer cache",caches:{hit:"A kept answer",joined:"The answer of an equal call that was going on",
miss:"No kept answer",bypass:"No part in it",stored:"No kept answer; this one is kept"},cachedFrom:"of this run",estimated:"Estimated: the provider reported no \
tokens.",finish:"Reason of the end",continues:"It continues",copyId:"Copy the run’s id",cancel:"Cancel",cancelled:"The run was cancelled.",goOn:"Continue",conversation:"\
Conversation",attemptsTitle:"Calls of providers",attempt:"Call",outcome:"Outcome",wait:"Wait before",first:"First token",stream:"The answer",streamText:"The str\
eam of this run once more, as it was sent.",streamLive:"It is being answered now.",streamGone:"The stream of this run is not kept any more. The conversation has\
 the answer.",streamEmpty:"There was no answer."},overview:{whose:"Calls of",refresh:"Refresh",none:"No calls in this time",noneText:"A call appears here within\
 two seconds of its end, stored or not.",calls:"Calls",errors:"Error rate",failed:"{n} failed",refused:"{n} refused",left:"{n} cancelled or left",leftName:"Canc\
elled or left",duration:"Duration (p50)",durations:"Duration",first:"First token",firstP50:"First token p50",firstP95:"First token p95",percentiles:{p50:"p50",p95:"\
p95",p99:"p99"},p95:"p95 {p95}",p95p99:"p95 {p95}, p99 {p99}",tokens:"Tokens",spend:"Spend",cache:"Answer cache since the start: {share} of {n} calls that asked\
 had a kept answer; all kept answers take {size}.",chart:"The table of the hours has the figures.",asTable:"The hours as a table",hour:"Hour",by:"Table by",bys:{
model:"Model",provider:"Provider",key:"Key"},byTitles:{model:"By model",provider:"By provider",key:"By key"},unknown:"Not known",without:"Show all again, not {n\
ame} alone",runsOf:"Runs of {name}",providers:"Providers over 24 hours",budgets:"Budgets near their end",allKeys:"All keys",leftOf:"{left} of {limit} left",leftOfTokens:"\
{left} of {limit} tokens left"},alerts:{title:"Alerts",types:{provider_down:"A provider is down",store_failing:"The database can’t be written",disk_low:"The d\
isk is nearly full",budget_near:"A budget is nearly used up",budget_used_up:"A budget is used up"}},usage:{whose:"Usage of",own:"this key",all:"all keys",range:"\
Time",days:{one:"Last {n} day",other:"Last {n} days"},measure:"Show",measures:{tokens:"Tokens",cost:"Cost",calls:"Calls"},by:"Stacked by",model:"Model",key:"Key",
group:"Group",byDay:"{what} by day",byModel:"By model",byKey:"By key",byGroup:"By group",byTag:"By {tag}",noTag:"No {tag}",chart:"{what} by day, {from} to {to}:\
 {total} in all. The table below has the figures.",day:"Day",others:"Others",noKey:"Without a key",noGroup:"Without a group",none:"No usage in this time",noneText:"\
A call appears here a second or two after its end.",input:"Tokens in",output:"Tokens out",cached:"{n} from a cache",reasoning:"{n} for reasoning",estimated:{one:"\
{n} call is estimated",other:"{n} calls are estimated"},unpriced:{one:"{n} call has no price",other:"{n} calls have no price"},estimatedCalls:"Estimated calls",
unpricedCalls:"Calls without a price",asTable:"The days as a table",csv:"Download CSV",saved:"The file is saved.",budget:"Budget",renewed:"Resets {when}",spent:"\
Spent",reserved:"Reserved",left:"Left",limit:"Limit"},groups:{make:"New group",text:"Keys of a group share its limits and its budget, beside their own. People w\
ho sign in with tokens may be in a group, too.",none:"No groups yet",noneText:"Keys of a team, a customer or a project may share limits, a budget and models.",keys:"\
Keys",keysOf:"{n}: the keys of {name}",calls:"Calls",hooks:"Hooks",hooksToo:"Hooks that are asked, too",hooksHint:"None. Or names, with commas between",edit:"Ch\
ange",remove:"Delete",made:"The group is made.",changed:"The group is changed.",removed:"The group is deleted.",removeTitle:"Delete {name}?",removeText:"Its lim\
its and its budget end. What was used stays in the usage. People whom tokens put into it are refused from now on.",inUse:{one:"{n} key belongs to this group. Re\
voke it, or take it out of the group, before you delete the group.",other:"{n} keys belong to this group. Revoke them, or take them out of the group, before you\
 delete the group."},showKeys:"Show its keys"},keys:{make:"New key",none:"No keys yet",noneText:"Keys of the configuration file are not listed here.",name:"Name",
noName:"Without a name",own:"this session",status:"Status",statuses:{active:"Active",expired:"Expired",revoked:"Revoked"},until:"until {when}",graceUntil:"old s\
ecret until {when}",scopes:"Scopes",scopeTexts:{chat:"ask models, change conversations",read:"read what is stored, search",files:"uploaded files",admin:"keys, u\
sage of all, settings",execute:"the assistant’s code on the computer"},models:"Models",allModels:"all",modelsOnly:"Only these models",modelsHint:"All. Or name\
s, one a line; small/* is all that begin so",allowance:"Limits and budget",requestsIn:"{n} requests in {window}",tokensIn:"{n} tokens in {window}",atOnce:"{n} a\
t once",every:" every {window}",budgetMoney:"Budget {n}{window}",budgetTokens:"Budget {n} tokens{window}",budgetEach:"Budget {n} for each {tag}{window}",keeps:"\
Conversations are kept for {time}",group:"Group",noGroup:"None",ofGroup:"Group: {name}",ofAll:"Show the keys of all groups",noneOf:"No key belongs to this group",
lastUse:"Last use",runs:"The runs of this key",never:"never",actions:"Actions",edit:"Change",rotate:"Rotate",revoke:"Revoke",changed:"The key is changed.",expires:"\
Expires (empty: never)",limits:"Limits",requests:"Requests",tokens:"Tokens",window:"In a window of",windowHint:"A whole number with s, m, h or d, such as 1m or \
24h",windowExample:"1m",concurrent:"Calls at once",budget:"Budget",money:"Money",renews:"Resets every (empty: never)",unpriced:"These models have no price, so a\
 budget in money refuses them: {names}",text:"Secret",madeTitle:"The key is ready",madeText:"This is the secret of “{name}”. It is shown this once: keep it in a\
 safe place.",madeDone:"I have kept it",rotateTitle:"New secret for this key",rotateText:"“{name}” keeps its id, its owner and all rights, and gets a new secret\
.",grace:"The old secret stays valid",graces:{0:"not at all",3600:"for an hour",86400:"for a day",604800:"for a week",2592e3:"for 30 days"},revokeTitle:"Revoke \
this key?",revokeText:"The key is refused at once and for ever. What it has stored stays.",revokeType:"To confirm, type its name:",revoked:"The key is revoked.",
firstTitle:"Make the first key",firstText:"This gateway is open: everybody on this machine may use it. With the first key it closes. You are signed in with the \
new key, which may also make other keys and see the administration.",firstNamed:"Name of the key",firstName:"admin",firstMake:"Make the key",firstElsewhere:"Key\
s are made at the address of the administration, or with this command:",firstAlong:"Take along the conversations that were held without a key",firstFiles:"Uploa\
ded files and the history of runs and usage stay behind.",firstBehind:"What was said without a key stays behind: no key can read it.",firstExported:{one:"{n} co\
nversation exported",other:"{n} conversations exported"},firstMoving:"Signing in and moving conversations …",firstSignedIn:"You are signed in with this key.",
firstTaken:{one:"{n} conversation was taken along.",other:"{n} conversations were taken along."},firstNotTaken:"The conversations were not taken along. Save the\
m, and import them later:"},models:{none:"No models",notFound:"No model fits",search:"Search models",chosen:"{label}: {model}",ask:"Ask for “{model}”",favourites:"\
Favourites",like:"Add {model} to the favourites",unlike:"Remove {model} from the favourites",default:"default",context:"{n} context",contextTitle:"Context",takes:"\
Takes",capabilities:{images:"images",audio:"audio",pdf:"PDF",reasoning:"reasoning",tools:"tools"},found:{one:"{n} model",other:"{n} models"},sort:"Sort by",sorts:{
provider:"Provider",name:"Name",price:"Price",calls:"Calls",failed:"Failures",first:"First piece"},name:"Name",provider:"Provider",providers:"Providers",parts:"\
Parts of the page",reload:"Refresh",maxOutput:"at most {n} tokens out",targetsOf:"Targets of {name}",target:"Target",star:"the rest of the name",healthTitle:"He\
alth",health:{fine:"Healthy",cooling:"Cooling down",open:"Down",probe:"Probing",dead_key:"Key refused"},healthTexts:{fine:"Calls go to it.",cooling:"The provide\
r demanded a pause, or its money is used up.",open:"It failed too often in a row, and is not asked for a while.",probe:"The next call tries whether it answers a\
gain.",dead_key:"The provider refused the gateway’s key."},until:"until",weight:"Weight",calls:"Calls",failed:"Failed",failedRuns:"The runs that failed",first:"\
First token",cached:"Cached",cachedShare:"{share} %",cachedText:"The share of the prompts’ tokens that came from the provider’s cache",keyPlace:"key {n}",price:"\
Price",priceText:"{input} in, {output} out",priceUnit:"For a million tokens",priceSources:{own:"from the configuration",file:"from the file of prices",table:"fr\
om the built-in table",asked:"built-in table, by name",none:"no price"},lastError:"Last error",fallback:"Then asked:",dialect:"Dialect",address:"Address",builtIn:"\
built in",key:"Key",headers:"Further headers"},files:{none:"No files yet",noneText:"Drop files here, or upload them with the button. Messages can name them.",upload:"\
Upload",uploadHint:"Drop files here to upload them",uploaded:{one:"{n} file uploaded",other:"{n} files uploaded"},name:"Name",size:"Size",purpose:"Purpose",time:"\
Uploaded",actions:"Actions",image:"Image: {name}",cut:"Only the first {n} characters are shown.",noPreview:"This kind of file has no preview.",tooLarge:"This fi\
le is too large for a preview.",deleteTitle:"Delete this file?",deleteText:"“{name}” is deleted. Messages that name it stay, without it.",deleted:"The file \
is deleted."},settings:{preferences:"This browser",preferencesText:"These are kept in this browser only.",gateway:"Gateway",version:"Version",started:"Started",
calls:"Calls",waiting:"Waiting calls",connections:"Connections",streams:"Open streams",database:"Database",log:"Write-ahead log",index:"Search index",retention:"\
Retention",conversationsKeep:"Conversations, after their last activity",contentKeep:"Content of messages",sizeKeep:"Database and files together",forEver:"withou\
t end",noSize:"without a limit",oldest:"Oldest conversation",oldestGoes:"due on {when} or later",keepText:"Keys and conversations may have shorter times of thei\
r own. Beyond the size, the oldest inactive conversations go at once.",indexed:"{n} messages and titles",indexing:"being rebuilt",outOf:"{n} of {limit}",notWritable:"\
The database can’t be written: {why}",listeners:"Addresses",adminListener:"administrators",tls:"TLS",configuration:"Configuration",noFile:"No file",readAt:"re\
ad",reloaded:"Last reload: {when}",reloadFailed:"The reload of {when} failed, and the configuration before it stays in force",defaultsToo:"Show defaults too",allDefault:"\
All options have their defaults.",option:"Option",value:"Value",source:"From",place:"Place",sources:{default:"default",file:"file",environment:"environment",flag:"\
command line"},onReload:"A change",onReloads:{applied:"by a reload",restart:"needs a restart"},pending:"after a restart:",secrets:"Secrets",secretsText:"They ar\
e never shown.",secretStates:{set:"set","not set":"not set"}},health:{title:"Last 24 hours",states:{fine:"Healthy",cooling:"Rate limited",open:"Down",dead_key:"\
Key refused"},interval:"{state}, {from} to {to}",unknown:"How it was is not known",allFine:"Healthy all the time",some:"Healthy {share} % of the time; {bad}",fineOf:"\
Healthy in the {time} that are known",someOf:"Healthy {share} % of the {time} that are known; {bad}",part:"{state} {time}",minutes:"{n} min",hours:"{n} h"},providers:{
actions:"Try it",test:"Test",testing:"Testing …",testOf:"Test {name}",models:"Models",modelsOf:"Models of {name}",works:"It answers",fails:"It does not answer",
took:"{model}, {time}",first:", first words after {time}",find:"Find a model",noneFound:"No model has such a name",configured:"configured",entry:"Entry for the \
configuration",entryText:"Put this into the configuration file. Nothing was changed.",copy:"Copy the entry",authKinds:{aws:"AWS",google:"Google"},fetched:"{kind\
}, from {source}",notFetched:"{kind}, not fetched yet",ends:"ends"},log:{live:"Live",connecting:"Connecting …",paused:"Paused",pause:"Pause",resume:"Resume",follow:"\
Follow the newest line",level:"Level",all:"All levels",from:{error:"Errors only",warn:"Warnings and errors",info:"Information and worse"},levels:{error:"Error",
warn:"Warning",info:"Info",debug:"Debug"},request:"Request",requestHint:"an id, req_…",ofRequest:"Lines of this request",lines:"Lines of the log, the newest l\
ast",none:"Nothing was logged yet",noneFiltered:"No line fits these filters",gap:"Lines are missing: they came faster than this page could read them."},csv:{download:"\
Download CSV",saved:{one:"{n} line is saved.",other:"{n} lines are saved."},cut:{one:"The file ends after {n} line, and there are more. Narrow the filters to ge\
t the others.",other:"The file ends after {n} lines, and there are more. Narrow the filters to get the others."}},audit:{text:"Who did what to which object. An \
entry is stored with its act, and is kept for a year at least.",none:"Nobody has done anything yet",noneFiltered:"Nothing fits these filters",time:"Time",action:"\
Action",object:"Object",objectHint:"an id",actor:"Actor",actorHint:"a key’s id",actors:{nobody:"Nobody (no keys yet)",program:"The program"},session:"in a ses\
sion",address:"Address",request:"Request",any:"Any",from:"From",to:"To",actions:{"key.create":"Key made","key.update":"Key changed","key.rotate":"Key rotated","\
key.revoke":"Key revoked","group.create":"Group made","group.update":"Group changed","group.delete":"Group deleted","session.begin":"Signed in","session.end":"S\
igned out","conversation.delete":"Conversation deleted","item.delete":"Message deleted","completion.delete":"Completion deleted","response.delete":"Response del\
eted","file.delete":"File deleted","cache.clear":"Cache emptied","code.approve":"Code allowed","code.refuse":"Code refused","configuration.reload":"Configuratio\
n reloaded"}}};function fill(text,values){return text.replace(/\{(\w+)\}/g,(whole,name)=>name in values?String(values[name]):whole)}var _2=Symbol.for("pv"),m2=0;function i2(t,e2,n,o2,r,f2){e2||(e2={});var a3,l2,u2=e2;if("ref"in u2&&typeof t!="function")for(l2 in u2={},e2)l2=="ref"?a3=e2[l2]:u2[l2]=e2[l2];var s3={type:t,
props:u2,key:n,ref:a3,__k:null,__:null,__b:0,__e:null,__c:null,constructor:_2,__v:--m2,__i:-1,__u:0};return(r||f2)&&(s3.__source=r,s3.__self=f2),h.vnode&&h.vnode(
s3),s3}var paths={spark:"M12 3v5m0 8v5M3 12h5m8 0h5M6 6l3 3m6 6l3 3m0-12l-3 3m-6 6l-3 3",chat:"M4 5h16v11H9l-5 4z",list:"M4 6h16M4 12h16M4 18h10",lines:"M3 5h18v14H3zm\
4 4l3 3-3 3m6 0h4",pulse:"M3 12h4l3-8 4 16 3-8h4",gauge:"M4 18a9 9 0 1 1 16 0M12 15l4-5",bars:"M5 20v-7m7 7V4m7 16v-11",file:"M6 3h8l5 5v13H6zm8 0v5h5",key:"M14\
 10a4 4 0 1 0-3 3.9L13 16h3v3h4v-3.5L13.7 11.3",people:"M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-6 8a6 6 0 0 1 12 0zm13-8a2.500 2.500 0 1 0-1-4.800M17 14a5 5 0 0 1 4\
 5h-3",model:"M12 3l8 4.5v9L12 21l-8-4.5v-9zm0 9l8-4.5M12 12v9m0-9L4 7.5",gear:"M4 7h9m5 0h2M4 17h3m5 0h8M13 5v4h5V5zM7 15v4h5v-4z",menu:"M4 7h16M4 12h16M4 17h1\
6",plus:"M12 5v14M5 12h14",copy:"M9 9h11v11H9zM5 15H4V4h11v1",check:"M5 13l4 4L19 7",close:"M6 6l12 12M18 6L6 18",send:"M12 19V5m-6 6l6-6 6 6",stop:"M7 7h10v10H\
7z",again:"M20 11a8 8 0 1 0-2 6m2-12v6h-6",edit:"M4 20l1-5L16 4l4 4L9 19z",branch:"M7 4v16M7 12h5a5 5 0 0 0 5-5V4",two:"M4 5h7v14H4zm9 0h7v14h-7z",clip:"M19 11l\
-8 8a4.5 4.5 0 0 1-6.400-6.400l8.500-8.500a3 3 0 0 1 4.300 4.300l-8.500 8.500a1.500 1.500 0 0 1-2.100-2.100l7.500-7.500",code:"M8 7l-5 5 5 5m8-10l5 5-5 5",image:"\
M4 5h16v14H4zm0 11l5-5 5 5m-1-2l3-3 4 4",trash:"M5 7h14M9 7V4h6v3m2 0l-1 13H8L7 7",search:"M16 16l5 5M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",theme:"M12 3a9 9 0 1\
 0 0 18zm0 0a9 9 0 0 1 0 18",keyboard:"M3 6h18v12H3zm4 4h.01M11 10h.01M15 10h.01M8 14h8",out:"M14 4H5v16h9m-4-8h11m-4-4l4 4-4 4",star:"M12 4l2.500 5.200 5.500.7\
00-4 3.900 1 5.600-5-2.700-5 2.700 1-5.600-4-3.900 5.500-.700z",chevron:"M6 9l6 6 6-6",save:"M12 4v11m-5-5l5 5 5-5M5 20h14",down:"M12 5v14m-6-6l6 6 6-6",pin:"M9\
 4h6l-1 7 3 3v2H7v-2l3-3zm3 12v5",warn:"M12 4l9 16H3zm0 6v4m0 3v.01"};function Icon({name}){return i2("svg",{class:"icon",viewBox:"0 0 24 24","aria-hidden":"tru\
e",focusable:"false",children:i2("path",{d:paths[name]})})}var plurals=new Intl.PluralRules(void 0),integers=new Intl.NumberFormat(void 0,{maximumFractionDigits:0}),decimals=new Intl.NumberFormat(void 0,{maximumSignificantDigits:3}),
compacts=new Intl.NumberFormat(void 0,{notation:"compact",maximumSignificantDigits:3}),times=new Intl.DateTimeFormat(void 0,{dateStyle:"medium",timeStyle:"short"}),
days=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),clocks=new Intl.DateTimeFormat(void 0,{timeStyle:"short"}),exact=new Intl.DateTimeFormat(void 0,{hour:"\
2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3}),exactDays=new Intl.DateTimeFormat(void 0,{day:"numeric",month:"short",year:"numeric",hour:"\
2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3}),shorts=new Intl.DateTimeFormat(void 0,{day:"numeric",month:"short"}),relatives=new Intl.RelativeTimeFormat(
void 0,{numeric:"auto"}),number=value=>value==null?words.units.none:integers.format(value),percents=new Intl.NumberFormat(void 0,{style:"percent",maximumFractionDigits:1}),
percent=part=>part>0&&part<5e-4?`< ${percents.format(.001)}`:percents.format(part),compact=value=>compacts.format(value),count=(value,forms)=>fill(plurals.select(
value)==="one"?forms.one:forms.other,{n:integers.format(value)}),currency="";function nameCurrency(code){currency=code}function money(value){if(value==null)return words.
units.none;let amount=Number(value),digits=amount!==0&&Math.abs(amount)<.1?{maximumSignificantDigits:3}:{maximumFractionDigits:2},unit=currency?{style:"currency",
currency,currencyDisplay:"narrowSymbol"}:{};return new Intl.NumberFormat(void 0,{...unit,...digits}).format(amount)}function bytes(value){let units=["byte","kil\
obyte","megabyte","gigabyte","terabyte"],step=Math.min(units.length-1,value>0?Math.floor(Math.log10(value)/3):0);return new Intl.NumberFormat(void 0,{style:"uni\
t",unit:units[step],unitDisplay:"short",maximumSignificantDigits:3}).format(value/1e3**step)}var LONG=[{size:86400,from:2*86400,unit:words.units.d},{size:3600,from:3600,
unit:words.units.h},{size:60,from:120,unit:words.units.min},{size:1,from:0,unit:words.units.s}];function duration(ms){if(ms<1e3)return fill(words.units.ms,{n:Math.
round(ms)});let seconds=Math.round(ms/1e3),place=LONG.findIndex(({from})=>seconds>=from),[unit,next]=[LONG[place],LONG[place+1]];if(!next)return fill(words.units.
s,{n:decimals.format(ms/1e3)});let parts=Math.round(seconds/next.size),whole=Math.floor(parts*next.size/unit.size),rest=parts-whole*unit.size/next.size,said=fill(
unit.unit,{n:integers.format(whole)});return rest>0?`${said} ${fill(next.unit,{n:rest})}`:said}var time=seconds=>times.format(seconds*1e3),day=seconds=>days.format(
seconds*1e3),clock=seconds=>clocks.format(seconds*1e3),clockWithMs=at=>exact.format(at),timeExact=at=>exactDays.format(at),dayShort=at=>shorts.format(at),iso=seconds=>new Date(
seconds*1e3).toISOString();function ago(seconds,now=Date.now()/1e3){let past=seconds-now;return Math.abs(past)<60?relatives.format(Math.round(past),"second"):Math.
abs(past)<3600?relatives.format(Math.round(past/60),"minute"):Math.abs(past)<86400?relatives.format(Math.round(past/3600),"hour"):Math.abs(past)<7*86400?relatives.
format(Math.round(past/86400),"day"):day(seconds)}function plainWords(excerpt){let whole=[...excerpt].length<120;return excerpt.replace(/\*\*|`|(^|\s)#+(?=\s)/g,
"$1")+(whole?"":"…")}function Refused({error,title,retry}){return i2("div",{class:"notice bad",role:"alert",children:[i2(Icon,{name:"warn"}),i2("div",{children:[i2("strong",{children:title??
(error.status===0?words.state.offline:words.state.refused)}),error.status!==0&&i2("p",{children:error.message}),(error.code||error.request_id)&&i2("p",{class:"f\
ine",children:[error.status," ",error.code,error.request_id&&i2($,{children:[" · ",words.state.request," ",i2("code",{children:error.request_id})]})]}),retry&&
i2("button",{type:"button",onClick:retry,children:words.state.retry})]})]})}function Empty({title,children}){return i2("div",{class:"empty",children:[i2("strong",
{children:title??words.state.empty}),children]})}function Loading(){return i2("p",{class:"loading",role:"status",children:words.state.loading})}function State({
of,empty,none,children}){return i2($,{children:[of.error&&i2(Refused,{error:of.error,retry:of.reload}),of.data===null?of.busy&&i2(Loading,{}):empty?.(of.data)?none??
i2(Empty,{}):children(of.data)]})}export{$,he,w,S2 as S,j2 as j,U,b,K2 as K,D3 as D,J2 as J,k2 as k,base,credentials,offline,ApiError,call,get,isAbort,query,words,fill,i2 as i,Icon,number,percent,
compact,count,nameCurrency,money,bytes,duration,time,day,clock,clockWithMs,timeExact,dayShort,iso,ago,plainWords,Refused,Empty,Loading,State};
