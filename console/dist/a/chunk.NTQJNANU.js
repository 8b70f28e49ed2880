// node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n22) {
  n22 && n22.parentNode && n22.remove();
}
function k(n22, t22, r22) {
  var u22, i22, f22, o22 = {}, e22 = arguments.length;
  for (f22 in t22) "key" == f22 ? u22 = t22[f22] : "ref" == f22 && "function" != typeof n22 ? i22 = t22[f22] : o22[f22] = t22[f22];
  return e22 > 2 && (o22.children = e22 > 3 ? d.call(arguments, 2) : r22), m(n22, o22, u22, i22, null);
}
function m(r22, u22, i22, f22, o22) {
  var e22 = { type: r22, props: u22, key: i22, ref: f22, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o22 || ++t, __i: -1, __u: 0 };
  return !o22 && n.vnode && n.vnode(e22), e22;
}
function $(n22) {
  return n22.children;
}
function x(n22, t22) {
  this.props = n22, this.context = t22, this.__g = 0;
}
function S(n22, t22) {
  if (null == t22) return n22.__ && S(n22.__, n22.__i + 1);
  for (var r22; t22 < n22.__k.length; t22++) if ((r22 = n22.__k[t22]) && r22.__e) return r22.__e;
  return "function" != typeof n22.type || n22.props.__P ? null : S(n22);
}
function C(t22) {
  var r22, u22 = t22.__v, i22 = u22.__e, f22 = [], o22 = [], e22 = t22.__P;
  e22 && ((r22 = _({ constructor: h }, u22)).__v = u22.__v + 1, n.vnode && n.vnode(r22), z(e22, r22, u22, t22.__n, e22.namespaceURI, 32 & u22.__u ? [i22] : null, f22, i22 || S(u22), 32 & u22.__u, o22), r22.__v = u22.__v, r22.__.__k[r22.__i] = r22, E(f22, r22, o22), u22.__ = u22.__e = null, r22.__e != i22 && j(r22));
}
function j(n22) {
  if ((n22 = n22.__) && n22.__c && !n22.props.__P) return n22.__e = null, n22.__k.some(function(t22) {
    return t22 && (n22.__e = t22.__e);
  }), j(n22);
}
function L(t22) {
  (8 & t22.__g || (t22.__g |= 8, u.push(t22), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n22, t22 = 1; u.length; ) u.length > t22 && u.sort(o), n22 = u.shift(), t22 = u.length, 8 & n22.__g && C(n22);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n22, t22, r22, u22, i22, f22, o22, e22, l22, c22, a22) {
  var s22, h22, v22, w22, d22, _22, g22 = u22.__k || y, k22 = t22.length;
  for (l22 = q(r22, t22, g22, l22, k22), s22 = 0; s22 < k22; s22++) null != (v22 = r22.__k[s22]) && (h22 = ~v22.__i && g22[v22.__i] || p, v22.__i = s22, _22 = z(n22, v22, h22, i22, f22, o22, e22, l22, c22, a22), w22 = v22.__e, (h22.ref != v22.ref || 8 & h22.__u) && (h22.ref && G(h22.ref, null, v22, h22), v22.ref && a22.push(v22.ref, v22.__c || w22, v22)), d22 = d22 || w22, 4 & v22.__u ? (l22 = A(v22, l22, n22, !h22.__v), h22.__e && (h22.__e = null)) : "function" == typeof v22.type && void 0 !== _22 ? l22 = _22 : w22 && (l22 = w22.nextSibling), v22.__u &= -21);
  return r22.__e = d22, l22;
}
function q(n22, t22, r22, u22, i22) {
  var f22, o22, e22, l22, c22, a22, s22, p22, y22, v22 = r22.length, d22 = v22, _22 = 0, g22 = 0, k22 = n22.__k = Array(i22);
  for (f22 = 0; f22 < i22; f22++) null != (o22 = t22[f22]) && "boolean" != typeof o22 && "function" != typeof o22 ? ("object" != typeof o22 || o22.constructor === String ? o22 = k22[f22] = m(null, o22) : w(o22) ? o22 = k22[f22] = m($, { children: o22 }) : o22.constructor === h && o22.__b ? o22 = k22[f22] = m(o22.type, o22.props, o22.key, o22.ref, o22.__v) : k22[f22] = o22, l22 = f22 + _22, o22.__ = n22, o22.__b = n22.__b + 1, e22 = null, ~(c22 = o22.__i = P(o22, r22, l22, d22)) && (d22--, (e22 = r22[c22]) && (e22.__u |= 2)), e22 && e22.__v ? (o22.__u |= 16, c22 == l22 - 1 ? _22-- : c22 == l22 + 1 ? _22++ : c22 != l22 && (c22 > l22 ? _22-- : _22++, g22 = 1)) : (~c22 || (i22 > v22 ? _22-- : i22 < v22 && _22++), "function" != typeof o22.type && (o22.__u |= 4))) : k22[f22] = null;
  if (g22) {
    for (a22 = [], s22 = [], f22 = 0; f22 < i22; f22++) if ((o22 = k22[f22]) && 16 & o22.__u) {
      for (_22 = 0, p22 = a22.length; _22 < p22; ) a22[y22 = _22 + p22 >> 1] < o22.__i ? _22 = y22 + 1 : p22 = y22;
      a22[_22] = o22.__i, s22[f22] = _22 + 1;
    }
    for (_22 = a22.length; f22--; ) s22[f22] && (s22[f22] == _22 ? _22-- : k22[f22].__u |= 4);
  }
  if (d22) for (f22 = 0; f22 < v22; f22++) !(e22 = r22[f22]) || 2 & e22.__u || (e22.__e == u22 && (u22 = S(e22)), J(e22, e22));
  return u22;
}
function A(n22, t22, r22, u22) {
  var i22, f22, o22, e22;
  if ("function" == typeof n22.type) {
    if (n22.props.__P) return t22;
    if (i22 = n22.__k) for (f22 = 0; f22 < i22.length; f22++) i22[f22] && (i22[f22].__ = n22, t22 = A(i22[f22], t22, r22, false));
    return t22;
  }
  for (t22 && !t22.parentNode && (t22 = S(n22)) && !t22.parentNode && (t22 = null), o22 = n22.__e, e22 = t22; e22 && 8 == e22.nodeType; ) e22 = e22.nextSibling;
  for (o22 != e22 && (!u22 && r22.moveBefore && o22.parentNode ? r22.moveBefore(o22, t22) : r22.insertBefore(o22, t22 || null)), t22 = o22; (t22 = t22 && t22.nextSibling) && 8 == t22.nodeType && !t22.data.startsWith("$s"); ) ;
  return t22;
}
function P(n22, t22, r22, u22) {
  var i22, f22 = n22.key, o22 = n22.type, e22 = t22[r22], l22 = e22 && !(2 & e22.__u);
  if (null === e22 && null == f22 || l22 && f22 == e22.key && o22 == e22.type) return r22;
  if (u22 > (l22 ? 1 : 0)) {
    for (i22 = r22 - 1; i22 >= 0; i22--) if ((e22 = t22[i22]) && !(2 & e22.__u) && f22 == e22.key && o22 == e22.type) return i22;
    for (i22 = r22 + 1; i22 < t22.length; i22++) if ((e22 = t22[i22]) && !(2 & e22.__u) && f22 == e22.key && o22 == e22.type) return i22;
  }
  return -1;
}
function T(n22, t22, r22) {
  null == r22 && (r22 = ""), "-" == t22[0] ? n22.setProperty(t22, r22) : n22[t22] = r22;
}
function N(n22, t22, r22, u22, i22) {
  var f22, o22;
  if ("style" == t22) if ("string" == typeof r22) n22.style.cssText = r22;
  else {
    if ("string" == typeof u22 && (n22.style.cssText = u22 = ""), u22) for (t22 in u22) r22 && t22 in r22 || T(n22.style, t22);
    if (r22) for (t22 in r22) u22 && r22[t22] == u22[t22] || T(n22.style, t22, r22[t22]);
  }
  else if ("o" == t22[0] && "n" == t22[1]) "function" != typeof r22 && (r22 = null), "function" != typeof u22 && (u22 = null), (n22.__e || (n22.__e = {}))[t22] = r22, r22 && u22 || (o22 = a[t22] || (a[t22] = V(t22)), (n22.__a || (n22.__a = {}))[t22] = c, f22 = t22 != (t22 = t22.replace(l, "$1")), (t22 = t22.slice(2))[0] < "a" && (t22 = t22.toLowerCase()), r22 ? n22.addEventListener(t22, o22, f22) : n22.removeEventListener(t22, o22, f22));
  else {
    if ("http://www.w3.org/2000/svg" == i22) t22 = t22.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t22 && "height" != t22 && "href" != t22 && "list" != t22 && "form" != t22 && "tabIndex" != t22 && "download" != t22 && "rowSpan" != t22 && "colSpan" != t22 && "role" != t22 && "popover" != t22 && t22 in n22) try {
      return void (n22[t22] = null == r22 ? "" : r22);
    } catch (n3) {
    }
    if ("function" == typeof r22) return;
    null == r22 || false === r22 && "-" != t22[4] ? n22.removeAttribute(t22) : n22.setAttribute(t22, "popover" == t22 && 1 == r22 ? "" : r22);
  }
}
function V(t22) {
  return function(r22) {
    var u22 = this.__e;
    if (u22) {
      if (u22 = u22[t22], null == r22[e]) r22[e] = c++;
      else if (r22[e] < this.__a[t22]) return;
      return u22(n.event ? n.event(r22) : r22);
    }
  };
}
function z(t22, r22, u22, i22, f22, o22, e22, l22, c22, a22) {
  var s22, p22, v22, d22, k22, b22, m22, M2, C22, j22, L2, H2, q2, A22, O2, P22, T22, N2, V2 = r22.type;
  if (r22.constructor !== h) return null;
  128 & u22.__u && (c22 = 32 & u22.__u, s22 = u22.__c.__z) && (r22.__u |= c22, p22 = o22 = [], 8 == s22.nodeType ? l22 = B(s22, o22) : o22.push(s22), l22 = o22[0] || l22), (s22 = n.__b) && s22(r22);
  n: if ("function" == typeof V2) {
    v22 = e22.length;
    try {
      if (M2 = r22.props, C22 = (s22 = V2.prototype) && s22.render, j22 = (s22 = V2.contextType) && i22[s22.__c], L2 = s22 ? j22 ? j22.props.value : s22.__ : i22, (d22 = u22.__c) ? (r22.__c = d22, 2 & d22.__g && (d22.__g |= 1)) : (C22 ? r22.__c = d22 = new V2(M2, L2) : (r22.__c = d22 = new x(M2, L2), d22.constructor = V2, d22.render = K), j22 && j22.sub(d22), d22.state || (d22.state = {}), d22.__n = i22, d22.__g |= 8, d22.__h = [], d22.__k = []), C22 && (d22.__s || (d22.__s = d22.state), V2.getDerivedStateFromProps && (d22.__s == d22.state && (d22.__s = _({}, d22.__s)), _(d22.__s, V2.getDerivedStateFromProps(M2, d22.__s)))), k22 = d22.props, b22 = d22.state, d22.__v = r22, u22.__c) {
        if (M2 !== k22 && C22 && !V2.getDerivedStateFromProps && d22.componentWillReceiveProps && d22.componentWillReceiveProps(M2, L2), r22.__v == u22.__v && !(8 & d22.__g) || !(4 & d22.__g) && d22.shouldComponentUpdate && false === d22.shouldComponentUpdate(M2, d22.__s, L2)) {
          r22.__v != u22.__v && (d22.props = M2, d22.state = d22.__s, d22.__g &= -9), r22.__e = u22.__e, r22.__k = u22.__k, r22.__k.some(function(n22) {
            n22 && (n22.__ = r22);
          }), y.push.apply(d22.__h, d22.__k), d22.__k = [], d22.__h.length && e22.push(d22), l22 = S(u22);
          break n;
        }
        d22.componentWillUpdate && d22.componentWillUpdate(M2, d22.__s, L2), C22 && d22.componentDidUpdate && d22.__h.push(function() {
          d22.componentDidUpdate(k22, b22, m22);
        });
      } else C22 && !V2.getDerivedStateFromProps && d22.componentWillMount && d22.componentWillMount(), C22 && d22.componentDidMount && d22.__h.push(d22.componentDidMount);
      d22.context = L2, d22.props = M2, d22.__P = t22, d22.__g &= -5, H2 = n.__r, q2 = C22 ? 25 : 0;
      do {
        d22.__g &= -9, H2 && H2(r22), s22 = d22.render(d22.props, d22.state = d22.__s, d22.context);
      } while (8 & d22.__g && ++q2 < 25);
      C22 && (y.push.apply(d22.__h, d22.__k), d22.__k = []), d22.state = d22.__s, d22.getChildContext && (i22 = _({}, i22, d22.getChildContext())), C22 && u22.__c && d22.getSnapshotBeforeUpdate && (m22 = d22.getSnapshotBeforeUpdate(k22, b22)), A22 = s22 && s22.type === $ && null == s22.key ? s22.props.children : s22, M2.__P && (s22 = l22, f22 = (t22 = M2.__P).namespaceURI, c22 = o22 = null, u22.props && u22.props.__P != t22 && (u22.__k.some(function(n22) {
        n22 && J(n22, n22);
      }), u22.__k = null), l22 = u22.__k ? S(u22, 0) : null), l22 = I(t22, w(A22) ? A22 : [A22], r22, u22, i22, f22, o22, e22, l22, c22, a22), M2.__P && (r22.__e = null, l22 = s22), r22.__u &= -161, p22 && p22.some(g), d22.__h.length && e22.push(d22), 1 & d22.__g && (d22.__g &= -4);
    } catch (t32) {
      if (e22.length = v22, r22.__v = null, c22 || o22) if (t32 && t32.then) {
        if (r22.__u |= 128 | c22, o22) {
          for (~(T22 = o22.indexOf(l22 || void 0)) || (T22 = o22.length); (N2 = o22[T22 - 1]) && 8 == N2.nodeType; ) T22--;
          for (; T22 < o22.length; T22++) if (N2 = o22[T22]) if (o22[T22] = null, O2) {
            if (N2 == P22) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P22 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l22 && 8 == l22.nodeType && l22.nextSibling; ) l22 = l22.nextSibling;
          O2 = l22;
        }
        (s22 = B(O2 = r22.__c.__z || (r22.__c.__z = O2))) ? (r22.__e = O2, l22 = s22) : r22.__e = l22, l22 = l22 && l22.nextSibling;
      } else o22 && o22.some(g);
      else r22.__e = u22.__e;
      r22.__k || (r22.__k = u22.__k || []), t32 && t32.then || D(r22), n.__e(t32, r22, u22);
    }
  } else l22 = r22.__e = F(u22.__e, r22, u22, i22, f22, o22, e22, c22, a22, t22);
  return (s22 = n.diffed) && s22(r22), l22;
}
function B(n22, t22) {
  if (n22 && 8 == n22.nodeType && n22.data.startsWith("$s")) for (var r22 = 1; n22 = n22.nextSibling; ) {
    if (8 == n22.nodeType) {
      if (n22.data.startsWith("$s")) r22++;
      else if (n22.data.startsWith("/$s") && !--r22) return n22;
    }
    t22 && t22.push(n22);
  }
}
function D(n22) {
  n22 && (n22.__c && (n22.__c.__g |= 4), n22.__k && n22.__k.some(D));
}
function E(t22, r22, u22) {
  for (var i22 = 0; i22 < u22.length; ) G(u22[i22++], u22[i22++], u22[i22++]);
  n.__c && n.__c(r22, t22), t22.some(function(r32) {
    try {
      t22 = r32.__h, r32.__h = [], t22.some(function(n22) {
        n22.call(r32);
      });
    } catch (t32) {
      n.__e(t32, r32.__v);
    }
  });
}
function F(t22, r22, u22, i22, f22, o22, e22, l22, c22, a22) {
  var s22, h22, y22, _22, k22, b22, m22, M2, $2 = u22.props || p, x22 = r22.props, C22 = r22.type;
  if ("svg" == C22 ? f22 = "http://www.w3.org/2000/svg" : "math" == C22 ? f22 = "http://www.w3.org/1998/Math/MathML" : f22 || (f22 = "http://www.w3.org/1999/xhtml"), o22) {
    for (s22 = 0; s22 < o22.length; s22++) if ((k22 = o22[s22]) && (C22 ? k22.localName == C22 : 3 == k22.nodeType)) {
      t22 = k22, o22[s22] = null;
      break;
    }
  }
  if (!t22) {
    if (M2 = a22.ownerDocument || document, !C22) return M2.createTextNode(x22);
    t22 = M2.createElementNS(f22, C22, x22.is ? x22 : a22), l22 && (n.__m && n.__m(r22, o22), l22 = false), o22 = null;
  }
  if (C22) {
    if (a22 = "template" == C22 && t22.content || t22, o22 = "textarea" == C22 && null != x22.defaultValue ? null : o22 && d.call(a22.childNodes), !l22 && o22) for ($2 = {}, s22 = 0; s22 < t22.attributes.length; s22++) $2[(k22 = t22.attributes[s22]).name] = k22.value;
    for (s22 in $2) k22 = $2[s22], "dangerouslySetInnerHTML" == s22 ? y22 = k22 : "children" == s22 || s22 in x22 || "value" == s22 && "defaultValue" in x22 || "checked" == s22 && "defaultChecked" in x22 || N(t22, s22, null, k22, f22);
    for (s22 in x22) k22 = x22[s22], "children" == s22 ? _22 = k22 : "dangerouslySetInnerHTML" == s22 ? h22 = k22 : "value" == s22 ? b22 = k22 : "checked" == s22 ? m22 = k22 : l22 && "function" != typeof k22 || $2[s22] === k22 || N(t22, s22, k22, $2[s22], f22);
    h22 ? (l22 || y22 && (h22.__html == y22.__html || h22.__html == t22.innerHTML) || (t22.innerHTML = h22.__html), r22.__k = []) : (y22 && (t22.textContent = ""), ("foreignObject" == C22 || "http://www.w3.org/1998/Math/MathML" == f22 && v.test(C22)) && (f22 = "http://www.w3.org/1999/xhtml"), I(a22, w(_22) ? _22 : [_22], r22, u22, i22, f22, o22, e22, o22 ? o22[0] : u22.__k && S(u22, 0), l22, c22), o22 && o22.some(g)), l22 && "textarea" != C22 || (s22 = "value", "progress" == C22 && null == b22 ? t22.removeAttribute(s22) : null == b22 || b22 === t22[s22] && ("progress" != C22 || b22) || N(t22, s22, b22, $2[s22], f22), s22 = "checked", null != m22 && m22 != t22[s22] && N(t22, s22, m22, $2[s22], f22));
  } else $2 === x22 || l22 && t22.data == x22 || (t22.data = x22);
  return t22;
}
function G(t22, r22, u22, i22) {
  try {
    "function" == typeof t22 ? r22 ? r22.__x = t22(r22) || 1 : i22 && (i22 = i22.__c || i22.__e) && (r22 = i22.__x) && (i22.__x = null, "function" == typeof r22 ? r22() : t22(null)) : t22.current = r22;
  } catch (t32) {
    n.__e(t32, u22);
  }
}
function J(t22, r22, u22) {
  var i22, f22, o22, e22;
  if (n.unmount && n.unmount(t22), !(i22 = t22.ref) || i22.current && i22.current != t22.__e || G(i22, null, r22, t22), i22 = t22.__c) {
    if (i22.componentWillUnmount) try {
      i22.componentWillUnmount();
    } catch (t32) {
      n.__e(t32, r22);
    }
    i22.__P = i22.__n = null;
  }
  if (i22 = t22.__k) for (e22 = 0; e22 < i22.length; e22++) i22[e22] && J(i22[e22], r22, "function" != typeof t22.type || u22 && !t22.props.__P);
  !u22 && (i22 = t22.__c) && (i22 = i22.__z) && (f22 = B(i22, o22 = [])) && (i22 == t22.__e && o22.some(g), g(f22), g(i22)), u22 || g(t22.__e), t22.__e = t22.__c = t22.__ = null;
}
function K(n22, t22, r22) {
  return this.constructor(n22, r22);
}
function Q(t22, r22) {
  var u22, i22, f22, o22;
  n.__ && n.__(t22, r22), 9 == r22.nodeType && (r22 = r22.documentElement), i22 = (u22 = t22 && 32 & t22.__u) ? null : r22.__k, r22.__k = m($, { children: [t22] }), f22 = [], o22 = [], z(r22, r22.__k, i22 || p, p, r22.namespaceURI, i22 ? null : r22.firstChild ? d.call(r22.childNodes) : null, f22, i22 ? i22.__e : r22.firstChild, u22, o22), E(f22, r22.__k, o22), r22.__k.props.children = null;
}
n = { __e: function(n22, t22, r22, u22) {
  for (var i22, o22, e22; t22 = t22.__; ) if ((i22 = t22.__c) && !(1 & i22.__g)) {
    i22.__g |= 4;
    try {
      if ((e22 = (o22 = i22.constructor) && o22.getDerivedStateFromError) && i22.setState(o22.getDerivedStateFromError(n22)), i22.componentDidCatch && (i22.componentDidCatch(n22, u22 || {}), e22 = 1), e22 && 8 & i22.__g) return void (i22.__g |= 2);
    } catch (t32) {
      n22 = t32;
    }
  }
  throw f = 0, n22;
} }, t = 0, r = function(n22) {
  return null != n22 && n22.constructor === h;
}, x.prototype.setState = function(n22, t22) {
  var r22 = this.__s;
  r22 && r22 != this.state || (r22 = this.__s = _({}, this.state)), "function" == typeof n22 && (n22 = n22(_({}, r22), this.props)), n22 && (_(r22, n22), this.__v && (t22 && this.__k.push(t22), L(this)));
}, x.prototype.forceUpdate = function(n22) {
  this.__v && (this.__g |= 4, n22 && this.__h.push(n22), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n22, t22) {
  return n22.__v.__b - t22.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// node_modules/preact/hooks/dist/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n22, t22) {
  a2.__h && a2.__h(r2, n22, f2 || t22), f2 = 0;
  var u22 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n22 >= u22.__.length && u22.__.push({}), u22.__[n22];
}
function d2(n22) {
  return f2 = 1, _2(G2, n22);
}
function _2(n22, u22, i22) {
  var f22 = y2(t2++, 2);
  if (f22.t = n22, !f22.__c && (f22.__ = [i22 ? i22(u22) : G2(void 0, u22), function(n3) {
    var t22 = (f22.__N || f22.__)[0], r22 = f22.t(t22, n3);
    o2(t22, r22) || (f22.__N = [r22, f22.__[1]], f22.__c.setState({}));
  }], f22.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c22 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n3, t22, r22) {
      var u32 = this.__H;
      if (!u32) return true;
      var i32 = false, f32 = this.props != n3;
      if (u32.__.some(function(n4) {
        n4.__N && (i32 = true, o2(n4.__[0], n4.__N[0]) || (f32 = true));
      }), c22) {
        var e22 = c22.call(this, n3, t22, r22);
        return i32 ? e22 || f32 : e22;
      }
      return !i32 || f32;
    };
  }
  return f22.__;
}
function A2(n22, u22) {
  var i22 = y2(t2++, 3);
  !a2.__s && E2(i22.__H, u22) && (i22.__P = true, i22.__ = n22, i22.u = u22, r2.__H.__h.push(i22));
}
function F2(n22, u22) {
  var i22 = y2(t2++, 4);
  !a2.__s && E2(i22.__H, u22) && (i22.__P = false, i22.__ = n22, i22.u = u22, r2.__h.push(i22));
}
function T2(n22) {
  return f2 = 5, w2(function() {
    return { current: n22 };
  }, []);
}
function w2(n22, r22) {
  var u22 = y2(t2++, 7);
  return E2(u22.__H, r22) && (u22.__ = n22(), u22.__H = r22), u22.__;
}
function P2() {
  var n22 = y2(t2++, 11);
  if (!n22.__) {
    for (var u22 = r2.__v; !u22.__m && u22.__; ) u22 = u22.__;
    var i22 = u22.__m || (u22.__m = [0, 0]);
    n22.__ = "P" + i22[0] + "-" + i22[1]++;
  }
  return n22.__;
}
function g2() {
  var n22;
  do {
    for (; n22 = e2.shift(); ) try {
      C2(n22);
    } catch (t32) {
      a2.__e(t32, { __: (n22 = n22.__P) && n22.__v });
    }
    for (; n22 = c2.shift(); ) {
      var t22 = n22.__H;
      if (n22.__P && t22) try {
        t22.__h.some(C2), t22.__h.some(D2), t22.__h = [];
      } catch (r22) {
        t22.__h = [], a2.__e(r22, n22.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n22) {
  r2 = null, v2 && v2(n22);
}, a2.__ = function(n22, t22) {
  n22 && t22.__k && t22.__k.__m && (n22.__m = t22.__k.__m), p2 && p2(n22, t22);
}, a2.__r = function(n22) {
  l2 && l2(n22), t2 = 0;
  var i22 = (r2 = n22.__c).__H;
  i22 && (u2 == r2 ? r2.__h = [] : (i22.__h.some(C2), i22.__h.some(D2), t2 = 0), i22.__h = [], i22.__.some(function(n3) {
    n3.__N && (n3.__ = n3.__N), n3.u = n3.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n22) {
  m2 && m2(n22);
  var t22 = n22.__c;
  t22 && t22.__H && (t22.__H.__h.length && B2(c2.push(t22)), t22.__H.__.some(function(n3) {
    n3.u && (n3.__H = n3.u);
  })), u2 = r2 = null;
}, a2.__c = function(n22, t22) {
  t22.some(function(n3) {
    try {
      n3.__h.some(C2), n3.__h = n3.__h.filter(function(n4) {
        return !n4.__ || D2(n4);
      });
    } catch (t32) {
      n3.__h = [function() {
        throw t32;
      }];
    }
  }), h2 && h2(n22, t22);
}, a2.unmount = function(n22) {
  s2 && s2(n22);
  var t22, r22, u22 = n22.__c;
  u22 && u22.__H && (u22.__H.__.some(function(u32) {
    try {
      if (u32.__P && u32.__c) {
        if (void 0 === r22) {
          for (r22 = n22.__; r22 && (!r22.__c || !r22.__c.__P); ) r22 = r22.__;
          r22 = r22 && r22.__c;
        }
        u32.__P = r22, B2(e2.push(u32));
      } else C2(u32);
    } catch (n3) {
      t22 = n3;
    }
  }), u22.__H = void 0, t22 && a2.__e(t22, u22.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n22) {
  var t22, r22 = function() {
    clearTimeout(u22), k2 && cancelAnimationFrame(t22), setTimeout(n22);
  }, u22 = setTimeout(r22, 35);
  k2 && (t22 = requestAnimationFrame(r22));
}
function B2(n22) {
  1 != n22 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n22) {
  var t22 = r2, u22 = n22.__c;
  "function" == typeof u22 && (n22.__c = void 0, u22()), r2 = t22;
}
function D2(n22) {
  var t22 = r2;
  n22.__c = n22.__(), r2 = t22;
}
function E2(n22, t22) {
  return !n22 || n22.length != t22.length || t22.some(function(t32, r22) {
    return !o2(t32, n22[r22]);
  });
}
function G2(n22, t22) {
  return "function" == typeof t22 ? t22(n22) : t22;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i3 = /* @__PURE__ */ Symbol.for("preact-signals");
function t3() {
  if (!(v3 > 1)) {
    var i22, t22 = false;
    !(function() {
      var i32 = c3;
      c3 = void 0;
      while (void 0 !== i32) {
        var t32 = i32.S;
        if (t32.v === i32.v) {
          for (var r32 = t32.t; void 0 !== r32; r32 = r32.x) if (r32.i === i32.i) r32.i = t32.i;
        }
        i32 = i32.o;
      }
    })();
    while (void 0 !== h3) {
      var r22 = h3;
      h3 = void 0;
      s3++;
      while (void 0 !== r22) {
        var n22 = r22.u;
        r22.u = void 0;
        r22.f &= -3;
        if (!(8 & r22.f) && w3(r22)) try {
          r22.c();
        } catch (r32) {
          if (!t22) {
            i22 = r32;
            t22 = true;
          }
        }
        r22 = n22;
      }
    }
    s3 = 0;
    v3--;
    if (t22) throw i22;
  } else v3--;
}
function r3(i22) {
  if (v3 > 0) return i22();
  u3 = ++e3;
  v3++;
  try {
    return i22();
  } finally {
    t3();
  }
}
var n2;
var o3 = void 0;
function f3(i22) {
  var t22 = o3, r22 = n2;
  o3 = void 0;
  n2 = void 0;
  try {
    return i22();
  } finally {
    o3 = t22;
    n2 = r22;
  }
}
var h3 = void 0;
var v3 = 0;
var s3 = 0;
var e3 = 0;
var u3 = 0;
var c3 = void 0;
var a3 = 0;
function d3(i22) {
  if (void 0 !== o3) {
    var t22 = i22.n;
    if (void 0 === t22 || t22.t !== o3) {
      t22 = { i: 0, S: i22, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: t22 };
      if (void 0 !== o3.s) o3.s.n = t22;
      o3.s = t22;
      i22.n = t22;
      if (32 & o3.f) i22.S(t22);
      return t22;
    } else if (-1 === t22.i) {
      t22.i = 0;
      if (void 0 !== t22.n) {
        t22.n.p = t22.p;
        if (void 0 !== t22.p) t22.p.n = t22.n;
        t22.p = o3.s;
        t22.n = void 0;
        o3.s.n = t22;
        o3.s = t22;
      }
      return t22;
    }
  }
}
function l3(i22, t22) {
  this.v = i22;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t22 ? void 0 : t22.watched;
  this.Z = null == t22 ? void 0 : t22.unwatched;
  this.name = null == t22 ? void 0 : t22.name;
}
l3.prototype.brand = i3;
l3.prototype.h = function() {
  return true;
};
l3.prototype.S = function(i22) {
  var t22 = this, r22 = this.t;
  if (r22 !== i22 && void 0 === i22.e) {
    i22.x = r22;
    this.t = i22;
    if (void 0 !== r22) r22.e = i22;
    else f3(function() {
      var i32;
      null == (i32 = t22.W) || i32.call(t22);
    });
  }
};
l3.prototype.U = function(i22) {
  var t22 = this;
  if (void 0 !== this.t) {
    var r22 = i22.e, n22 = i22.x;
    if (void 0 !== r22) {
      r22.x = n22;
      i22.e = void 0;
    }
    if (void 0 !== n22) {
      n22.e = r22;
      i22.x = void 0;
    }
    if (i22 === this.t) {
      this.t = n22;
      if (void 0 === n22) f3(function() {
        var i32;
        null == (i32 = t22.Z) || i32.call(t22);
      });
    }
  }
};
l3.prototype.subscribe = function(i22) {
  var t22 = this;
  return x2(function() {
    var r22 = t22.value;
    f3(function() {
      return i22(r22);
    });
  }, { name: "sub" });
};
l3.prototype.valueOf = function() {
  return this.value;
};
l3.prototype.toString = function() {
  return this.value + "";
};
l3.prototype.toJSON = function() {
  return this.value;
};
l3.prototype.peek = function() {
  var i22 = this;
  return f3(function() {
    return i22.value;
  });
};
Object.defineProperty(l3.prototype, "value", { get: function() {
  var i22 = d3(this);
  if (void 0 !== i22) i22.i = this.i;
  return this.v;
}, set: function(i22) {
  if (i22 !== this.v) {
    if (s3 > 100) throw new Error("Cycle detected");
    !(function(i32) {
      if (0 !== v3 && 0 === s3) {
        if (i32.l !== u3) {
          i32.l = u3;
          c3 = { S: i32, v: i32.v, i: i32.i, o: c3 };
        }
      }
    })(this);
    this.v = i22;
    this.i++;
    a3++;
    v3++;
    try {
      for (var r22 = this.t; void 0 !== r22; r22 = r22.x) r22.t.N();
    } finally {
      t3();
    }
  }
} });
function y3(i22, t22) {
  return new l3(i22, t22);
}
function w3(i22) {
  for (var t22 = i22.s; void 0 !== t22; t22 = t22.n) if (t22.S.i !== t22.i || !t22.S.h() || t22.S.i !== t22.i) return true;
  return false;
}
function b(i22) {
  for (var t22 = i22.s; void 0 !== t22; t22 = t22.n) {
    var r22 = t22.S.n;
    if (void 0 !== r22) t22.r = r22;
    t22.S.n = t22;
    t22.i = -1;
    if (void 0 === t22.n) {
      i22.s = t22;
      break;
    }
  }
}
function _3(i22) {
  var t22 = i22.s, r22 = void 0;
  while (void 0 !== t22) {
    var n22 = t22.p;
    if (-1 === t22.i) {
      t22.S.U(t22);
      if (void 0 !== n22) n22.n = t22.n;
      if (void 0 !== t22.n) t22.n.p = n22;
    } else r22 = t22;
    t22.S.n = t22.r;
    if (void 0 !== t22.r) t22.r = void 0;
    t22 = n22;
  }
  i22.s = r22;
}
function j2(i22, t22) {
  l3.call(this, void 0, t22);
  this.x = i22;
  this.s = void 0;
  this.g = a3 - 1;
  this.f = 4;
}
j2.prototype = new l3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === a3) return true;
  this.g = a3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  var i22 = o3;
  try {
    b(this);
    o3 = this;
    var t22 = this.x();
    if (16 & this.f || this.v !== t22 || 0 === this.i) {
      this.v = t22;
      this.f &= -17;
      this.i++;
    }
  } catch (i32) {
    this.v = i32;
    this.f |= 16;
    this.i++;
  }
  o3 = i22;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(i22) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t22 = this.s; void 0 !== t22; t22 = t22.n) t22.S.S(t22);
  }
  l3.prototype.S.call(this, i22);
};
j2.prototype.U = function(i22) {
  if (void 0 !== this.t) {
    l3.prototype.U.call(this, i22);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t22 = this.s; void 0 !== t22; t22 = t22.n) t22.S.U(t22);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i22 = this.t; void 0 !== i22; i22 = i22.x) i22.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i22 = d3(this);
  this.h();
  if (void 0 !== i22) i22.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(i22, t22) {
  return new j2(i22, t22);
}
function p3(i22) {
  var r22 = i22.j;
  i22.j = void 0;
  if ("function" == typeof r22) {
    v3++;
    var n22 = o3;
    o3 = void 0;
    try {
      r22();
    } catch (t22) {
      i22.f &= -2;
      i22.f |= 8;
      g3(i22);
      throw t22;
    } finally {
      o3 = n22;
      t3();
    }
  }
}
function g3(i22) {
  for (var t22 = i22.s; void 0 !== t22; t22 = t22.n) t22.S.U(t22);
  i22.x = void 0;
  i22.s = void 0;
  p3(i22);
}
function S2(i22) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = i22;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    t3();
  }
}
function m3(i22, t22) {
  this.x = i22;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t22 ? void 0 : t22.name;
  if (n2) n2.push(this);
}
m3.prototype.c = function() {
  var i22 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    var t22 = this.x();
    if ("function" == typeof t22) this.j = t22;
  } finally {
    i22();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b(this);
  v3++;
  var i22 = o3;
  o3 = this;
  return S2.bind(this, i22);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = h3;
    h3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(i22, t22) {
  var r22 = new m3(i22, t22);
  try {
    r22.c();
  } catch (i32) {
    r22.d();
    throw i32;
  }
  var n22 = r22.d.bind(r22);
  n22[Symbol.dispose] = n22;
  return n22;
}

// node_modules/@preact/signals/dist/signals.module.js
var h4;
var d4;
var p4;
var m4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var g4 = [];
x2(function() {
  h4 = this.N;
})();
function b2(i22, n22) {
  n[i22] = n22.bind(null, n[i22] || function() {
  });
}
function y4(i22) {
  if (p4) {
    var n22 = p4;
    p4 = void 0;
    n22();
  }
  p4 = i22 && i22.S();
}
function w4(i22) {
  var n22 = this, r22 = i22.data, t22 = useSignal(r22);
  t22.name = "ReactiveDom";
  t22.value = r22;
  var e22 = w2(function() {
    var i32 = n22, r32 = n22.__v;
    while (r32 = r32.__) if (r32.__c) {
      r32.__c.__$f |= 4;
      break;
    }
    var o22 = O(function() {
      var i4 = t22.value.value;
      return 0 === i4 ? 0 : true === i4 ? "" : i4 || "";
    }), e32 = O(function() {
      return !Array.isArray(o22.value) && !r(o22.value);
    }), u32 = x2(function() {
      this.N = M;
      if (e32.value) {
        var n3 = o22.value;
        if (i32.__v && i32.__v.__e && 3 === i32.__v.__e.nodeType) i32.__v.__e.data = n3;
      }
    }), c32 = n22.__$u.d;
    n22.__$u.d = function() {
      u32();
      c32.call(this);
    };
    return [e32, o22];
  }, []), u22 = e22[0], c22 = e22[1];
  return u22.value ? c22.peek() : c22.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(l3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get: function() {
  var i22 = this;
  return { data: { get value() {
    return i22.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", function(i22, n22) {
  y4();
  d4 = void 0;
  if ("string" == typeof n22.type) {
    var r22, t22 = n22.props;
    for (var f22 in t22) if ("children" !== f22) {
      var o22 = t22[f22];
      if (o22 instanceof l3) {
        if (!r22) n22.__np = r22 = {};
        r22[f22] = o22;
        t22[f22] = o22.peek();
      }
    }
  }
  i22(n22);
});
b2("__r", function(i22, r22) {
  i22(r22);
  if (r22.type !== $) {
    y4();
    var t22, f22 = r22.__c;
    if (f22) {
      f22.__$f &= -2;
      if (void 0 === (t22 = f22.__$u)) f22.__$u = t22 = (function(i32, n22) {
        var r32;
        x2(function() {
          r32 = this;
        }, { name: n22 });
        r32.c = i32;
        return r32;
      })(/* @__PURE__ */ (function(i32) {
        return function() {
          var n22;
          if (m4) null == (n22 = this.y) || n22.call(this);
          i32.__$f |= 1;
          i32.setState({});
        };
      })(f22), "function" == typeof r22.type ? r22.type.displayName || r22.type.name : "");
    }
    d4 = f22;
    y4(t22);
  }
});
b2("__e", function(i22, n22, r22, t22) {
  y4();
  d4 = void 0;
  i22(n22, r22, t22);
});
b2("diffed", function(i22, n22) {
  y4();
  d4 = void 0;
  var r22;
  if ("string" == typeof n22.type && (r22 = n22.__e)) {
    var t22 = n22.__np, f22 = n22.props, o22 = r22.U;
    if (o22) for (var e22 in o22) {
      var u22 = o22[e22];
      if (!(void 0 === u22 || t22 && e22 in t22)) {
        u22.d();
        o22[e22] = void 0;
      }
    }
    if (t22) {
      if (!o22) {
        o22 = {};
        r22.U = o22;
      }
      for (var a22 in t22) {
        var c22 = o22[a22], v22 = t22[a22];
        if (void 0 === c22) {
          c22 = k3(r22, a22, v22, f22);
          o22[a22] = c22;
        } else c22.o(v22, f22);
      }
    }
  }
  i22(n22);
});
function k3(i22, n22, r22, t22) {
  var f22 = n22 in i22 && void 0 === i22.ownerSVGElement, o22 = y3(r22);
  return { o: function(i32, n3) {
    o22.value = i32;
    t22 = n3;
  }, d: x2(function() {
    this.N = M;
    var r32 = o22.value.value;
    if (t22[n22] !== r32) {
      t22[n22] = r32;
      if (f22) i22[n22] = r32;
      else if (null != r32 && (false !== r32 || "-" === n22[4])) i22.setAttribute(n22, r32);
      else i22.removeAttribute(n22);
    }
  }) };
}
b2("unmount", function(i22, n22) {
  if ("string" == typeof n22.type) {
    var r22 = n22.__e;
    if (r22) {
      var t22 = r22.U;
      if (t22) {
        r22.U = void 0;
        for (var f22 in t22) {
          var o22 = t22[f22];
          if (o22) o22.d();
        }
      }
    }
    var e22 = n22.__np;
    if (e22) {
      var u22 = n22.props;
      for (var a22 in e22) u22[a22] = e22[a22];
    }
    n22.__np = void 0;
  } else {
    var c22 = n22.__c;
    if (c22) {
      c22.__$f |= 8;
      var v22 = c22.__$u;
      if (v22) {
        c22.__$u = void 0;
        v22.d();
      }
    }
  }
  i22(n22);
});
b2("__h", function(i22, n22, r22, t22) {
  if (t22 < 3) n22.__$f |= 2;
  i22(n22, r22, t22);
});
x.prototype.shouldComponentUpdate = function(i22, n22) {
  if (this.__R) return true;
  var r22 = this.__$u, t22 = r22 && void 0 !== r22.s;
  for (var f22 in n22) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    var o22 = 2 & this.__$f;
    if (!(t22 || o22 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(t22 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (var e22 in i22) if ("__source" !== e22 && i22[e22] !== this.props[e22]) return true;
  for (var u22 in this.props) if (!(u22 in i22)) return true;
  return false;
};
function useSignal(i22, n22) {
  return w2(function() {
    return y3(i22, n22);
  }, []);
}
var A3 = function(i22) {
  queueMicrotask(function() {
    queueMicrotask(i22);
  });
};
function F3() {
  r3(function() {
    var i22;
    while (i22 = g4.shift()) h4.call(i22);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}

// src/api.ts
var base = new URL("../", location.href.split("#")[0]);
var credentials = { token: "", refused: () => {
} };
var offline = y3(false);
var ApiError = class extends Error {
  constructor(status, message, code = null, request_id = null, param = null, retry_after = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.request_id = request_id;
    this.param = param;
    this.retry_after = retry_after;
  }
  status;
  code;
  request_id;
  param;
  retry_after;
};
async function call(path, request = {}) {
  const headers = new Headers(request.headers);
  const token = request.key ?? credentials.token;
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const answer = await send(path, {
    method: request.method ?? (request.body === void 0 ? "GET" : "POST"),
    headers,
    body: encode(request.body, headers),
    signal: request.signal,
    credentials: "omit",
    cache: "no-store",
    redirect: "error"
  });
  if (answer.ok) return answer;
  if (answer.status === 401 && request.key === void 0) credentials.refused();
  throw await errorOf(answer);
}
async function get(path, request = {}) {
  return await (await call(path, request)).json();
}
function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
function query(parameters) {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== void 0 && value !== "");
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}` : "";
}
async function send(path, init) {
  try {
    const answer = await fetch(new URL(path.replace(/^\//, ""), base), init);
    offline.value = false;
    return answer;
  } catch (error) {
    if (isAbort(error)) throw error;
    if (!offline.value) {
      offline.value = true;
      void awaitReturn();
    }
    throw new ApiError(0, String(error));
  }
}
function encode(body, headers) {
  if (body === void 0 || body instanceof FormData || body instanceof Blob) return body;
  if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return typeof body === "string" ? body : JSON.stringify(body);
}
async function errorOf(answer) {
  const id = answer.headers.get("x-request-id");
  const wait = Number(answer.headers.get("Retry-After") ?? NaN);
  const after = Number.isFinite(wait) ? wait : null;
  try {
    const { error } = await answer.json();
    return new ApiError(answer.status, error.message, error.code, error.request_id ?? id, error.param, after);
  } catch {
    return new ApiError(answer.status, `${answer.status} ${answer.statusText}`.trim(), null, id, null, after);
  }
}
async function awaitReturn() {
  for (let wait = 500; offline.value; wait = Math.min(wait * 2, 5e3)) {
    await new Promise((resume) => setTimeout(resume, wait));
    try {
      await fetch(new URL("livez", base), { credentials: "omit", cache: "no-store" });
      offline.value = false;
    } catch {
    }
  }
}

// src/words.ts
var words = {
  product: "Parley",
  pages: {
    start: "Welcome",
    chat: "Chat",
    conversations: "Conversations",
    runs: "Runs",
    usage: "Usage",
    files: "Files",
    keys: "Keys",
    models: "Models",
    settings: "Settings"
  },
  frame: {
    skip: "Skip to the page",
    menu: "Menu",
    pages: "Pages",
    admin: "Administration",
    newChat: "New chat",
    recent: "Recent",
    signOut: "Sign out",
    openGateway: "No keys yet: open to this machine",
    theme: "Colours",
    themes: { auto: "As the system", light: "Light", dark: "Dark" },
    keyboard: "Keyboard",
    offline: "The gateway can’t be reached. What was read stays here; the page tries again by itself.",
    unknown: "This page doesn’t exist",
    unknownText: "The address leads nowhere, or your key may not open what is there.",
    home: "To the first page"
  },
  signIn: {
    title: "Sign in",
    text: "A key of this gateway is your account.",
    key: "Key",
    submit: "Sign in",
    busy: "Signing in …",
    refused: "The gateway does not know this key.",
    note: "The key is exchanged for a session of this tab. It is stored nowhere else."
  },
  state: {
    loading: "Loading …",
    empty: "Nothing here yet",
    refused: "The gateway refused this",
    offline: "The gateway can’t be reached",
    retry: "Try again",
    request: "Request",
    more: "Show more"
  },
  actions: {
    copy: "Copy",
    copied: "Copied",
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    delete: "Delete",
    download: "Download"
  },
  keyboard: {
    title: "Keyboard",
    search: "Search",
    new: "New chat",
    send: "Send the message",
    break: "New line in the message",
    stop: "Stop the answer",
    help: "This list",
    letters: "Single letters are shortcuts"
  },
  units: {
    none: "–",
    tokens: { one: "{n} token", other: "{n} tokens" },
    ms: "{n} ms",
    s: "{n} s"
  },
  draw: {
    table: "Table",
    code: "Code",
    plain: "text",
    image: "image",
    showAddress: "Address of the image:"
  },
  start: {
    title: "Welcome to Parley",
    text: "The gateway runs, has no keys yet, and is open to this machine alone.",
    say: "Say something",
    sayText: "The model “echo” repeats what you write. It needs no provider and no key.",
    sayHello: "Hello there",
    saySend: "Send to {model}",
    provider: "Add a provider",
    providerText: "Put this into the configuration, check it, and start the gateway with it.",
    providers: { openai: "OpenAI", anthropic: "Anthropic", vllm: "vLLM", ollama: "Ollama" },
    providerName: "Provider",
    copyYaml: "Copy the configuration",
    check: "Check and start",
    key: "Make the first key",
    keyText: "From then on the gateway is open to keys only. The first one may make others.",
    keyName: "Name of the key",
    keyDefault: "admin",
    keyMake: "Make the key",
    keyElsewhere: "Keys are made at the address of the administration, or with this command:",
    keyMade: "The key is shown once. Keep it.",
    keyUse: "Sign in with it",
    keyStays: "What was said while the gateway was open belongs to nobody: it stays behind, and is there again while the gateway has no keys."
  },
  chat: {
    new: "New chat",
    untitled: "Conversation",
    messages: "Messages",
    you: "You",
    answer: "Answer",
    empty: "What would you like to ask?",
    emptyText: "The gateway keeps the answer. It survives a reload, a lost connection and a restart.",
    message: "Message",
    placeholder: "Write a message …",
    send: "Send",
    stop: "Stop",
    attach: "Attach files",
    attached: "Attached files",
    uploading: "Uploading {name} …",
    detach: "Remove {name}",
    drop: "Drop files here",
    model: "Model",
    options: "Options",
    instruction: "Instruction",
    instructionHint: "How the model should answer, in the whole conversation",
    temperature: "Temperature",
    maxTokens: "Most tokens to write",
    byModel: "as the model does",
    tools: "Tools, as JSON",
    toolsHint: "A list of functions, as in OpenAI’s API. The page runs none of them.",
    toolsWrong: "This is not a list in JSON.",
    store: "Store the conversation",
    notStored: "Not stored: this chat is gone when the page is.",
    lmc: "Answer as LMC: code, output and images in parts of their own",
    computer: "Run the assistant’s code on the computer; each time I am asked first",
    mayRun: "This code waits. May it run on the computer?",
    allow: "Allow",
    refuse: "Do not allow",
    steps: "The run has executed as much as it may.",
    branches: "Branches",
    earlier: "Show earlier messages",
    latest: "To the newest message",
    begins: "Answer begins",
    complete: "Answer complete",
    broken: "The answer has ended early",
    waiting: "Waiting for the first words …",
    cut: "The connection was cut. The answer goes on as soon as it is back …",
    goOn: "Go on",
    length: "The answer has reached the most tokens it may write.",
    ends: {
      incomplete: "The answer broke off.",
      failed: "There is no answer.",
      cancelled: "Stopped."
    },
    estimated: "estimated",
    cost: "cost {cost}",
    firstPiece: "first words after {time}",
    copyText: "Copy the text",
    edit: "Edit the message",
    editText: "The edited message begins a branch of its own. The old one stays.",
    editFirst: "The edited message begins a conversation of its own. This one stays.",
    again: "Answer anew",
    againText: "The new answer is a branch of its own. The old one stays.",
    code: "Show as a program",
    codeText: "The key is read from the environment: PARLEY_API_KEY.",
    languages: { curl: "curl", python: "Python", node: "Node" },
    branchOf: "{n} of {of}",
    branchBefore: "The branch before",
    branchAfter: "The next branch",
    reasoning: "Reasoning",
    call: "Call of",
    result: "Result of the call",
    console: "Output",
    confirmation: "This code asks to be run. The page itself runs nothing.",
    error: "Error",
    image: "Image of the answer"
  },
  branches: {
    title: "Branches",
    help: "Arrow keys move, Enter opens a branch.",
    fork: "Fork from “{what}”",
    forked: "A new conversation was made from this branch.",
    removed: "Deleted message",
    noText: "Message without text",
    place: "branch {n} of {of}"
  },
  conversations: {
    search: "Search messages and titles",
    find: "Search",
    syntax: 'All words are found. "Words in quotes" stand together, word* finds beginnings, -word leaves out.',
    filter: "Filter by label",
    filterSubmit: "Filter",
    filterClear: "All conversations",
    filterBy: "Only conversations with this label",
    none: "No conversations yet",
    noneText: "What you say in a chat is kept here.",
    noneFiltered: "No conversation has this label",
    untitled: "Untitled",
    shown: { one: "{n} conversation", other: "{n} conversations" },
    found: { one: "{n} match", other: "{n} matches" },
    results: "Search results",
    notFound: "Nothing was found",
    incomplete: "The search index is still catching up: newer messages may be missing.",
    inTitle: "Title",
    roles: {
      user: "You",
      assistant: "Answer",
      system: "Instruction",
      developer: "Instruction",
      tool: "Tool result",
      computer: "Output of code",
      other: "Message"
    },
    edit: "Title and labels",
    title: "Title",
    labels: "Labels",
    labelName: "Name",
    labelValue: "Value",
    labelAdd: "Add a label",
    labelRemove: "Remove this label",
    saved: "Saved",
    export: "Export",
    exported: "The archive is saved.",
    deleteTitle: "Delete this conversation?",
    deleteText: "“{title}” is deleted with all its branches and runs. This can’t be undone.",
    deleted: "The conversation is deleted.",
    import: "Import",
    importHint: "Drop an archive or the conversations.json of a ChatGPT export here",
    importDone: "Import",
    imported: { one: "{n} conversation imported", other: "{n} conversations imported" },
    messages: { one: "{n} message", other: "{n} messages" },
    warnings: { one: "{n} warning", other: "{n} warnings" },
    open: "Open the conversation"
  },
  runs: {
    one: "Run",
    back: "All runs",
    none: "No runs yet",
    noneText: "Each call of a model appears here.",
    noneFiltered: "No run fits the filters",
    live: "Live",
    connecting: "Connecting …",
    whose: "Runs of",
    own: "this key",
    all: "all keys",
    any: "Any",
    anyModel: "Any model",
    statuses: {
      queued: "Waiting",
      running: "Running",
      completed: "Completed",
      incomplete: "Incomplete",
      failed: "Failed",
      cancelled: "Cancelled"
    },
    outcomes: {
      running: "Running",
      completed: "Completed",
      failed: "Failed",
      cancelled: "Cancelled",
      lost: "Lost"
    },
    begun: "Started",
    ended: "Ended",
    status: "Status",
    model: "Model",
    provider: "Provider",
    key: "Key",
    duration: "Duration",
    tokensIn: "Tokens in",
    tokensOut: "Tokens out",
    cost: "Cost",
    attempts: "Attempts",
    short: "< 1 s",
    estimated: "Estimated: the provider reported no tokens.",
    finish: "Reason of the end",
    continues: "It continues",
    copyId: "Copy the run’s id",
    cancel: "Cancel",
    cancelled: "The run was cancelled.",
    goOn: "Go on",
    conversation: "Conversation",
    attemptsTitle: "Calls of providers",
    attempt: "Call",
    outcome: "Outcome",
    wait: "Wait before",
    first: "First piece",
    stream: "The answer",
    streamText: "The stream of this run once more, as it was sent.",
    streamLive: "It is being answered now.",
    streamGone: "The stream of this run is not kept any more. The conversation has the answer.",
    streamEmpty: "There was no answer."
  },
  usage: {
    whose: "Usage of",
    own: "this key",
    all: "all keys",
    range: "Time",
    days: { one: "Last {n} day", other: "Last {n} days" },
    measure: "Show",
    measures: { tokens: "Tokens", cost: "Cost", calls: "Calls" },
    by: "Stacked by",
    model: "Model",
    key: "Key",
    byDay: "{what} by day",
    byModel: "By model",
    byKey: "By key",
    chart: "{what} by day, {from} to {to}: {total} in all. The table below has the figures.",
    day: "Day",
    others: "Others",
    noKey: "Without a key",
    none: "No usage in this time",
    noneText: "A call appears here a second or two after its end.",
    input: "Tokens in",
    output: "Tokens out",
    cached: "{n} from a cache",
    reasoning: "{n} for reasoning",
    estimated: { one: "{n} call is estimated", other: "{n} calls are estimated" },
    unpriced: { one: "{n} call has no price", other: "{n} calls have no price" },
    estimatedCalls: "Estimated calls",
    unpricedCalls: "Calls without a price",
    asTable: "The days as a table",
    csv: "Download CSV",
    saved: "The file is saved.",
    budget: "Budget",
    renewed: "Begins anew {when}",
    spent: "Spent",
    reserved: "Reserved",
    left: "Left",
    limit: "Limit"
  },
  keys: {
    make: "New key",
    none: "No keys yet",
    noneText: "Keys of the configuration file are not listed here.",
    name: "Name",
    noName: "Without a name",
    own: "this session",
    status: "Status",
    statuses: { active: "Active", expired: "Expired", revoked: "Revoked" },
    until: "until {when}",
    graceUntil: "old text until {when}",
    scopes: "Scopes",
    scopeTexts: {
      chat: "ask models, change conversations",
      read: "read what is stored, search",
      files: "uploaded files",
      admin: "keys, usage of all, settings",
      execute: "the assistant’s code on the computer"
    },
    models: "Models",
    allModels: "all",
    modelsOnly: "Only these models",
    modelsHint: "All. Or names, one a line; small/* is all that begin so",
    allowance: "Limits and budget",
    requestsIn: "{n} requests in {window}",
    tokensIn: "{n} tokens in {window}",
    atOnce: "{n} at once",
    every: " every {window}",
    budgetMoney: "Budget {n}{window}",
    budgetTokens: "Budget {n} tokens{window}",
    lastUse: "Last use",
    never: "never",
    actions: "Actions",
    edit: "Change",
    rotate: "Rotate",
    revoke: "Revoke",
    changed: "The key is changed.",
    expires: "Expires (empty: never)",
    limits: "Limits",
    requests: "Requests",
    tokens: "Tokens",
    window: "In a window of",
    windowHint: "A whole number with s, m, h or d, such as 1m or 24h",
    windowExample: "1m",
    concurrent: "Calls at once",
    budget: "Budget",
    money: "Money",
    renews: "Begins anew after (empty: never)",
    text: "Text of the key",
    madeTitle: "The key is ready",
    madeText: "This is the text of “{name}”. It is shown this once: keep it in a safe place.",
    madeDone: "I have kept it",
    rotateTitle: "New text for this key",
    rotateText: "“{name}” keeps its id, its owner and all rights, and gets a new text.",
    grace: "The old text stays valid",
    graces: { "0": "not at all", "3600": "for an hour", "86400": "for a day", "604800": "for a week", "2592000": "for 30 days" },
    revokeTitle: "Revoke this key?",
    revokeText: "The key is refused at once and for ever. What it has stored stays.",
    revokeType: "To confirm, type its name:",
    revoked: "The key is revoked.",
    firstTitle: "Make the first key",
    firstText: "This gateway is open: everybody on this machine may use it. With the first key it closes. You are signed in with the new key, which may also administrate.",
    firstName: "admin",
    firstMake: "Make the first key",
    firstAlong: "Take along the conversations that were held without a key",
    firstFiles: "Uploaded files and the history of runs and usage stay behind.",
    firstBehind: "What was said without a key stays behind: no key can read it.",
    firstExported: { one: "{n} conversation exported", other: "{n} conversations exported" },
    firstMoving: "Signing in and moving conversations …",
    firstSignedIn: "You are signed in with this key.",
    firstTaken: { one: "{n} conversation was taken along.", other: "{n} conversations were taken along." },
    firstNotTaken: "The conversations were not taken along. Save them, and import them later:"
  },
  models: {
    none: "No models",
    name: "Name",
    provider: "Provider",
    providers: "Providers",
    reload: "Read again",
    maxOutput: "at most {n} tokens out",
    targetsOf: "Targets of {name}",
    target: "Target",
    star: "the rest of the name",
    healthTitle: "Health",
    health: { fine: "Fine", cooling: "Cooling", open: "Broken", probe: "Trying", dead_key: "Key refused" },
    healthTexts: {
      fine: "It is asked.",
      cooling: "The provider demanded a pause, or its money is used up.",
      open: "It failed too often in a row, and is not asked for a while.",
      probe: "The next call tries whether it answers again.",
      dead_key: "The provider refused the gateway’s key."
    },
    until: "until",
    weight: "Weight",
    calls: "Calls",
    failed: "Failed",
    first: "First piece",
    price: "Price",
    priceText: "{input} in, {output} out",
    priceUnit: "For a million tokens",
    priceSources: { own: "from the configuration", table: "from the built-in table", asked: "built-in table, by name", none: "no price" },
    lastError: "Last error",
    fallback: "Then asked:",
    dialect: "Dialect",
    address: "Address",
    builtIn: "built in",
    key: "Key",
    headers: "Further headers"
  },
  files: {
    none: "No files yet",
    noneText: "Drop files here, or upload them with the button. Messages can name them.",
    upload: "Upload",
    uploadHint: "Drop files here to upload them",
    uploaded: { one: "{n} file uploaded", other: "{n} files uploaded" },
    name: "Name",
    size: "Size",
    purpose: "Purpose",
    time: "Uploaded",
    actions: "Actions",
    image: "Image: {name}",
    cut: "Only the first {n} characters are shown.",
    noPreview: "This kind of file has no preview.",
    tooLarge: "This file is too large for a preview.",
    deleteTitle: "Delete this file?",
    deleteText: "“{name}” is deleted. Messages that name it stay, without it.",
    deleted: "The file is deleted."
  },
  settings: {
    preferences: "This browser",
    preferencesText: "These are kept in this browser only.",
    gateway: "Gateway",
    version: "Version",
    started: "Started",
    calls: "Calls",
    waiting: "Waiting calls",
    connections: "Connections",
    streams: "Open streams",
    database: "Database",
    log: "Write-ahead log",
    index: "Search index",
    indexed: "{n} messages and titles",
    indexing: "being rebuilt",
    outOf: "{n} of {limit}",
    notWritable: "The database can’t be written: {why}",
    listeners: "Addresses",
    adminListener: "administrators",
    tls: "TLS",
    configuration: "Configuration",
    noFile: "No file",
    readAt: "read",
    reloaded: "Last reload: {when}",
    reloadFailed: "The reload of {when} failed, and the configuration before it stays in force",
    defaultsToo: "Show defaults too",
    allDefault: "All options have their defaults.",
    option: "Option",
    value: "Value",
    source: "From",
    place: "Place",
    sources: { default: "default", file: "file", environment: "environment", flag: "command line" },
    onReload: "A change",
    onReloads: { applied: "by a reload", restart: "needs a restart" },
    pending: "after a restart:",
    secrets: "Secrets",
    secretsText: "They are never shown.",
    secretStates: { set: "set", "not set": "not set" }
  }
};
function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => name in values ? String(values[name]) : whole);
}

// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f4 = /* @__PURE__ */ Symbol.for("pv");
var o4 = 0;
function a4(t22, e22, n22, u22, a22, i22) {
  e22 || (e22 = {});
  var c22, l22, p22 = e22;
  if ("ref" in p22 && "function" != typeof t22) for (l22 in p22 = {}, e22) "ref" == l22 ? c22 = e22[l22] : p22[l22] = e22[l22];
  var s22 = { type: t22, props: p22, key: n22, ref: c22, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
  return (a22 || i22) && (s22.__source = a22, s22.__self = i22), n.vnode && n.vnode(s22), s22;
}

// src/parts/icon.tsx
var paths = {
  spark: "M12 3v5m0 8v5M3 12h5m8 0h5M6 6l3 3m6 6l3 3m0-12l-3 3m-6 6l-3 3",
  chat: "M4 5h16v11H9l-5 4z",
  list: "M4 6h16M4 12h16M4 18h10",
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  bars: "M5 20v-7m7 7V4m7 16v-11",
  file: "M6 3h8l5 5v13H6zm8 0v5h5",
  key: "M14 10a4 4 0 1 0-3 3.9L13 16h3v3h4v-3.5L13.7 11.3",
  model: "M12 3l8 4.5v9L12 21l-8-4.5v-9zm0 9l8-4.5M12 12v9m0-9L4 7.5",
  gear: "M4 7h9m5 0h2M4 17h3m5 0h8M13 5v4h5V5zM7 15v4h5v-4z",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5m-6 6l6-6 6 6",
  stop: "M7 7h10v10H7z",
  again: "M20 11a8 8 0 1 0-2 6m2-12v6h-6",
  edit: "M4 20l1-5L16 4l4 4L9 19z",
  branch: "M7 4v16M7 12h5a5 5 0 0 0 5-5V4",
  clip: "M19 11l-8 8a4.5 4.5 0 0 1-6.400-6.400l8.500-8.500a3 3 0 0 1 4.300 4.300l-8.500 8.500a1.500 1.500 0 0 1-2.100-2.100l7.500-7.500",
  code: "M8 7l-5 5 5 5m8-10l5 5-5 5",
  image: "M4 5h16v14H4zm0 11l5-5 5 5m-1-2l3-3 4 4",
  trash: "M5 7h14M9 7V4h6v3m2 0l-1 13H8L7 7",
  search: "M16 16l5 5M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",
  theme: "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18",
  keyboard: "M3 6h18v12H3zm4 4h.01M11 10h.01M15 10h.01M8 14h8",
  out: "M14 4H5v16h9m-4-8h11m-4-4l4 4-4 4",
  down: "M12 5v14m-6-6l6 6 6-6",
  warn: "M12 4l9 16H3zm0 6v4m0 3v.01"
};
function Icon({ name }) {
  return /* @__PURE__ */ a4("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", children: /* @__PURE__ */ a4("path", { d: paths[name] }) });
}

// src/parts/state.tsx
function Refused({ error, retry }) {
  return /* @__PURE__ */ a4("div", { class: "notice bad", role: "alert", children: [
    /* @__PURE__ */ a4(Icon, { name: "warn" }),
    /* @__PURE__ */ a4("div", { children: [
      /* @__PURE__ */ a4("strong", { children: error.status === 0 ? words.state.offline : words.state.refused }),
      error.status !== 0 && /* @__PURE__ */ a4("p", { children: error.message }),
      (error.code || error.request_id) && /* @__PURE__ */ a4("p", { class: "fine", children: [
        error.status,
        " ",
        error.code,
        error.request_id && /* @__PURE__ */ a4($, { children: [
          " · ",
          words.state.request,
          " ",
          /* @__PURE__ */ a4("code", { children: error.request_id })
        ] })
      ] }),
      retry && /* @__PURE__ */ a4("button", { type: "button", onClick: retry, children: words.state.retry })
    ] })
  ] });
}
function Empty({ title, children }) {
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("strong", { children: title ?? words.state.empty }),
    children
  ] });
}
function Loading() {
  return /* @__PURE__ */ a4("p", { class: "loading", role: "status", children: words.state.loading });
}
function State({ of, empty, none, children }) {
  return /* @__PURE__ */ a4($, { children: [
    of.error && /* @__PURE__ */ a4(Refused, { error: of.error, retry: of.reload }),
    of.data === null ? of.busy && /* @__PURE__ */ a4(Loading, {}) : empty?.(of.data) ? none ?? /* @__PURE__ */ a4(Empty, {}) : children(of.data)
  ] });
}

export {
  $,
  Q,
  d2 as d,
  A2 as A,
  F2 as F,
  T2 as T,
  w2 as w,
  P2 as P,
  y3 as y,
  O,
  x2 as x,
  base,
  credentials,
  offline,
  ApiError,
  call,
  get,
  isAbort,
  query,
  words,
  fill,
  a4 as a,
  Icon,
  Refused,
  Empty,
  Loading,
  State
};
