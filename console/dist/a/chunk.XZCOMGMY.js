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
function g(n2) {
  n2 && n2.parentNode && n2.remove();
}
function k(n2, t2, r2) {
  var u2, i2, f22, o22 = {}, e2 = arguments.length;
  for (f22 in t2) "key" == f22 ? u2 = t2[f22] : "ref" == f22 && "function" != typeof n2 ? i2 = t2[f22] : o22[f22] = t2[f22];
  return e2 > 2 && (o22.children = e2 > 3 ? d.call(arguments, 2) : r2), m(n2, o22, u2, i2, null);
}
function m(r2, u2, i2, f22, o22) {
  var e2 = { type: r2, props: u2, key: i2, ref: f22, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o22 || ++t, __i: -1, __u: 0 };
  return !o22 && n.vnode && n.vnode(e2), e2;
}
function $(n2) {
  return n2.children;
}
function x(n2, t2) {
  this.props = n2, this.context = t2, this.__g = 0;
}
function S(n2, t2) {
  if (null == t2) return n2.__ && S(n2.__, n2.__i + 1);
  for (var r2; t2 < n2.__k.length; t2++) if ((r2 = n2.__k[t2]) && r2.__e) return r2.__e;
  return "function" != typeof n2.type || n2.props.__P ? null : S(n2);
}
function C(t2) {
  var r2, u2 = t2.__v, i2 = u2.__e, f22 = [], o22 = [], e2 = t2.__P;
  e2 && ((r2 = _({ constructor: h }, u2)).__v = u2.__v + 1, n.vnode && n.vnode(r2), z(e2, r2, u2, t2.__n, e2.namespaceURI, 32 & u2.__u ? [i2] : null, f22, i2 || S(u2), 32 & u2.__u, o22), r2.__v = u2.__v, r2.__.__k[r2.__i] = r2, E(f22, r2, o22), u2.__ = u2.__e = null, r2.__e != i2 && j(r2));
}
function j(n2) {
  if ((n2 = n2.__) && n2.__c && !n2.props.__P) return n2.__e = null, n2.__k.some(function(t2) {
    return t2 && (n2.__e = t2.__e);
  }), j(n2);
}
function L(t2) {
  (8 & t2.__g || (t2.__g |= 8, u.push(t2), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n2, t2 = 1; u.length; ) u.length > t2 && u.sort(o), n2 = u.shift(), t2 = u.length, 8 & n2.__g && C(n2);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n2, t2, r2, u2, i2, f22, o22, e2, l2, c2, a22) {
  var s2, h2, v2, w2, d2, _2, g2 = u2.__k || y, k2 = t2.length;
  for (l2 = q(r2, t2, g2, l2, k2), s2 = 0; s2 < k2; s2++) null != (v2 = r2.__k[s2]) && (h2 = ~v2.__i && g2[v2.__i] || p, v2.__i = s2, _2 = z(n2, v2, h2, i2, f22, o22, e2, l2, c2, a22), w2 = v2.__e, (h2.ref != v2.ref || 8 & h2.__u) && (h2.ref && G(h2.ref, null, v2, h2), v2.ref && a22.push(v2.ref, v2.__c || w2, v2)), d2 = d2 || w2, 4 & v2.__u ? (l2 = A(v2, l2, n2, !h2.__v), h2.__e && (h2.__e = null)) : "function" == typeof v2.type && void 0 !== _2 ? l2 = _2 : w2 && (l2 = w2.nextSibling), v2.__u &= -21);
  return r2.__e = d2, l2;
}
function q(n2, t2, r2, u2, i2) {
  var f22, o22, e2, l2, c2, a22, s2, p2, y2, v2 = r2.length, d2 = v2, _2 = 0, g2 = 0, k2 = n2.__k = Array(i2);
  for (f22 = 0; f22 < i2; f22++) null != (o22 = t2[f22]) && "boolean" != typeof o22 && "function" != typeof o22 ? ("object" != typeof o22 || o22.constructor === String ? o22 = k2[f22] = m(null, o22) : w(o22) ? o22 = k2[f22] = m($, { children: o22 }) : o22.constructor === h && o22.__b ? o22 = k2[f22] = m(o22.type, o22.props, o22.key, o22.ref, o22.__v) : k2[f22] = o22, l2 = f22 + _2, o22.__ = n2, o22.__b = n2.__b + 1, e2 = null, ~(c2 = o22.__i = P(o22, r2, l2, d2)) && (d2--, (e2 = r2[c2]) && (e2.__u |= 2)), e2 && e2.__v ? (o22.__u |= 16, c2 == l2 - 1 ? _2-- : c2 == l2 + 1 ? _2++ : c2 != l2 && (c2 > l2 ? _2-- : _2++, g2 = 1)) : (~c2 || (i2 > v2 ? _2-- : i2 < v2 && _2++), "function" != typeof o22.type && (o22.__u |= 4))) : k2[f22] = null;
  if (g2) {
    for (a22 = [], s2 = [], f22 = 0; f22 < i2; f22++) if ((o22 = k2[f22]) && 16 & o22.__u) {
      for (_2 = 0, p2 = a22.length; _2 < p2; ) a22[y2 = _2 + p2 >> 1] < o22.__i ? _2 = y2 + 1 : p2 = y2;
      a22[_2] = o22.__i, s2[f22] = _2 + 1;
    }
    for (_2 = a22.length; f22--; ) s2[f22] && (s2[f22] == _2 ? _2-- : k2[f22].__u |= 4);
  }
  if (d2) for (f22 = 0; f22 < v2; f22++) !(e2 = r2[f22]) || 2 & e2.__u || (e2.__e == u2 && (u2 = S(e2)), J(e2, e2));
  return u2;
}
function A(n2, t2, r2, u2) {
  var i2, f22, o22, e2;
  if ("function" == typeof n2.type) {
    if (n2.props.__P) return t2;
    if (i2 = n2.__k) for (f22 = 0; f22 < i2.length; f22++) i2[f22] && (i2[f22].__ = n2, t2 = A(i2[f22], t2, r2, false));
    return t2;
  }
  for (t2 && !t2.parentNode && (t2 = S(n2)) && !t2.parentNode && (t2 = null), o22 = n2.__e, e2 = t2; e2 && 8 == e2.nodeType; ) e2 = e2.nextSibling;
  for (o22 != e2 && (!u2 && r2.moveBefore && o22.parentNode ? r2.moveBefore(o22, t2) : r2.insertBefore(o22, t2 || null)), t2 = o22; (t2 = t2 && t2.nextSibling) && 8 == t2.nodeType && !t2.data.startsWith("$s"); ) ;
  return t2;
}
function P(n2, t2, r2, u2) {
  var i2, f22 = n2.key, o22 = n2.type, e2 = t2[r2], l2 = e2 && !(2 & e2.__u);
  if (null === e2 && null == f22 || l2 && f22 == e2.key && o22 == e2.type) return r2;
  if (u2 > (l2 ? 1 : 0)) {
    for (i2 = r2 - 1; i2 >= 0; i2--) if ((e2 = t2[i2]) && !(2 & e2.__u) && f22 == e2.key && o22 == e2.type) return i2;
    for (i2 = r2 + 1; i2 < t2.length; i2++) if ((e2 = t2[i2]) && !(2 & e2.__u) && f22 == e2.key && o22 == e2.type) return i2;
  }
  return -1;
}
function T(n2, t2, r2) {
  null == r2 && (r2 = ""), "-" == t2[0] ? n2.setProperty(t2, r2) : n2[t2] = r2;
}
function N(n2, t2, r2, u2, i2) {
  var f22, o22;
  if ("style" == t2) if ("string" == typeof r2) n2.style.cssText = r2;
  else {
    if ("string" == typeof u2 && (n2.style.cssText = u2 = ""), u2) for (t2 in u2) r2 && t2 in r2 || T(n2.style, t2);
    if (r2) for (t2 in r2) u2 && r2[t2] == u2[t2] || T(n2.style, t2, r2[t2]);
  }
  else if ("o" == t2[0] && "n" == t2[1]) "function" != typeof r2 && (r2 = null), "function" != typeof u2 && (u2 = null), (n2.__e || (n2.__e = {}))[t2] = r2, r2 && u2 || (o22 = a[t2] || (a[t2] = V(t2)), (n2.__a || (n2.__a = {}))[t2] = c, f22 = t2 != (t2 = t2.replace(l, "$1")), (t2 = t2.slice(2))[0] < "a" && (t2 = t2.toLowerCase()), r2 ? n2.addEventListener(t2, o22, f22) : n2.removeEventListener(t2, o22, f22));
  else {
    if ("http://www.w3.org/2000/svg" == i2) t2 = t2.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t2 && "height" != t2 && "href" != t2 && "list" != t2 && "form" != t2 && "tabIndex" != t2 && "download" != t2 && "rowSpan" != t2 && "colSpan" != t2 && "role" != t2 && "popover" != t2 && t2 in n2) try {
      return void (n2[t2] = null == r2 ? "" : r2);
    } catch (n3) {
    }
    if ("function" == typeof r2) return;
    null == r2 || false === r2 && "-" != t2[4] ? n2.removeAttribute(t2) : n2.setAttribute(t2, "popover" == t2 && 1 == r2 ? "" : r2);
  }
}
function V(t2) {
  return function(r2) {
    var u2 = this.__e;
    if (u2) {
      if (u2 = u2[t2], null == r2[e]) r2[e] = c++;
      else if (r2[e] < this.__a[t2]) return;
      return u2(n.event ? n.event(r2) : r2);
    }
  };
}
function z(t2, r2, u2, i2, f22, o22, e2, l2, c2, a22) {
  var s2, p2, v2, d2, k2, b2, m2, M2, C2, j2, L2, H2, q2, A2, O2, P2, T2, N2, V2 = r2.type;
  if (r2.constructor !== h) return null;
  128 & u2.__u && (c2 = 32 & u2.__u, s2 = u2.__c.__z) && (r2.__u |= c2, p2 = o22 = [], 8 == s2.nodeType ? l2 = B(s2, o22) : o22.push(s2), l2 = o22[0] || l2), (s2 = n.__b) && s2(r2);
  n: if ("function" == typeof V2) {
    v2 = e2.length;
    try {
      if (M2 = r2.props, C2 = (s2 = V2.prototype) && s2.render, j2 = (s2 = V2.contextType) && i2[s2.__c], L2 = s2 ? j2 ? j2.props.value : s2.__ : i2, (d2 = u2.__c) ? (r2.__c = d2, 2 & d2.__g && (d2.__g |= 1)) : (C2 ? r2.__c = d2 = new V2(M2, L2) : (r2.__c = d2 = new x(M2, L2), d2.constructor = V2, d2.render = K), j2 && j2.sub(d2), d2.state || (d2.state = {}), d2.__n = i2, d2.__g |= 8, d2.__h = [], d2.__k = []), C2 && (d2.__s || (d2.__s = d2.state), V2.getDerivedStateFromProps && (d2.__s == d2.state && (d2.__s = _({}, d2.__s)), _(d2.__s, V2.getDerivedStateFromProps(M2, d2.__s)))), k2 = d2.props, b2 = d2.state, d2.__v = r2, u2.__c) {
        if (M2 !== k2 && C2 && !V2.getDerivedStateFromProps && d2.componentWillReceiveProps && d2.componentWillReceiveProps(M2, L2), r2.__v == u2.__v && !(8 & d2.__g) || !(4 & d2.__g) && d2.shouldComponentUpdate && false === d2.shouldComponentUpdate(M2, d2.__s, L2)) {
          r2.__v != u2.__v && (d2.props = M2, d2.state = d2.__s, d2.__g &= -9), r2.__e = u2.__e, r2.__k = u2.__k, r2.__k.some(function(n2) {
            n2 && (n2.__ = r2);
          }), y.push.apply(d2.__h, d2.__k), d2.__k = [], d2.__h.length && e2.push(d2), l2 = S(u2);
          break n;
        }
        d2.componentWillUpdate && d2.componentWillUpdate(M2, d2.__s, L2), C2 && d2.componentDidUpdate && d2.__h.push(function() {
          d2.componentDidUpdate(k2, b2, m2);
        });
      } else C2 && !V2.getDerivedStateFromProps && d2.componentWillMount && d2.componentWillMount(), C2 && d2.componentDidMount && d2.__h.push(d2.componentDidMount);
      d2.context = L2, d2.props = M2, d2.__P = t2, d2.__g &= -5, H2 = n.__r, q2 = C2 ? 25 : 0;
      do {
        d2.__g &= -9, H2 && H2(r2), s2 = d2.render(d2.props, d2.state = d2.__s, d2.context);
      } while (8 & d2.__g && ++q2 < 25);
      C2 && (y.push.apply(d2.__h, d2.__k), d2.__k = []), d2.state = d2.__s, d2.getChildContext && (i2 = _({}, i2, d2.getChildContext())), C2 && u2.__c && d2.getSnapshotBeforeUpdate && (m2 = d2.getSnapshotBeforeUpdate(k2, b2)), A2 = s2 && s2.type === $ && null == s2.key ? s2.props.children : s2, M2.__P && (s2 = l2, f22 = (t2 = M2.__P).namespaceURI, c2 = o22 = null, u2.props && u2.props.__P != t2 && (u2.__k.some(function(n2) {
        n2 && J(n2, n2);
      }), u2.__k = null), l2 = u2.__k ? S(u2, 0) : null), l2 = I(t2, w(A2) ? A2 : [A2], r2, u2, i2, f22, o22, e2, l2, c2, a22), M2.__P && (r2.__e = null, l2 = s2), r2.__u &= -161, p2 && p2.some(g), d2.__h.length && e2.push(d2), 1 & d2.__g && (d2.__g &= -4);
    } catch (t3) {
      if (e2.length = v2, r2.__v = null, c2 || o22) if (t3 && t3.then) {
        if (r2.__u |= 128 | c2, o22) {
          for (~(T2 = o22.indexOf(l2 || void 0)) || (T2 = o22.length); (N2 = o22[T2 - 1]) && 8 == N2.nodeType; ) T2--;
          for (; T2 < o22.length; T2++) if (N2 = o22[T2]) if (o22[T2] = null, O2) {
            if (N2 == P2) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P2 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l2 && 8 == l2.nodeType && l2.nextSibling; ) l2 = l2.nextSibling;
          O2 = l2;
        }
        (s2 = B(O2 = r2.__c.__z || (r2.__c.__z = O2))) ? (r2.__e = O2, l2 = s2) : r2.__e = l2, l2 = l2 && l2.nextSibling;
      } else o22 && o22.some(g);
      else r2.__e = u2.__e;
      r2.__k || (r2.__k = u2.__k || []), t3 && t3.then || D(r2), n.__e(t3, r2, u2);
    }
  } else l2 = r2.__e = F(u2.__e, r2, u2, i2, f22, o22, e2, c2, a22, t2);
  return (s2 = n.diffed) && s2(r2), l2;
}
function B(n2, t2) {
  if (n2 && 8 == n2.nodeType && n2.data.startsWith("$s")) for (var r2 = 1; n2 = n2.nextSibling; ) {
    if (8 == n2.nodeType) {
      if (n2.data.startsWith("$s")) r2++;
      else if (n2.data.startsWith("/$s") && !--r2) return n2;
    }
    t2 && t2.push(n2);
  }
}
function D(n2) {
  n2 && (n2.__c && (n2.__c.__g |= 4), n2.__k && n2.__k.some(D));
}
function E(t2, r2, u2) {
  for (var i2 = 0; i2 < u2.length; ) G(u2[i2++], u2[i2++], u2[i2++]);
  n.__c && n.__c(r2, t2), t2.some(function(r3) {
    try {
      t2 = r3.__h, r3.__h = [], t2.some(function(n2) {
        n2.call(r3);
      });
    } catch (t3) {
      n.__e(t3, r3.__v);
    }
  });
}
function F(t2, r2, u2, i2, f22, o22, e2, l2, c2, a22) {
  var s2, h2, y2, _2, k2, b2, m2, M2, $2 = u2.props || p, x2 = r2.props, C2 = r2.type;
  if ("svg" == C2 ? f22 = "http://www.w3.org/2000/svg" : "math" == C2 ? f22 = "http://www.w3.org/1998/Math/MathML" : f22 || (f22 = "http://www.w3.org/1999/xhtml"), o22) {
    for (s2 = 0; s2 < o22.length; s2++) if ((k2 = o22[s2]) && (C2 ? k2.localName == C2 : 3 == k2.nodeType)) {
      t2 = k2, o22[s2] = null;
      break;
    }
  }
  if (!t2) {
    if (M2 = a22.ownerDocument || document, !C2) return M2.createTextNode(x2);
    t2 = M2.createElementNS(f22, C2, x2.is ? x2 : a22), l2 && (n.__m && n.__m(r2, o22), l2 = false), o22 = null;
  }
  if (C2) {
    if (a22 = "template" == C2 && t2.content || t2, o22 = "textarea" == C2 && null != x2.defaultValue ? null : o22 && d.call(a22.childNodes), !l2 && o22) for ($2 = {}, s2 = 0; s2 < t2.attributes.length; s2++) $2[(k2 = t2.attributes[s2]).name] = k2.value;
    for (s2 in $2) k2 = $2[s2], "dangerouslySetInnerHTML" == s2 ? y2 = k2 : "children" == s2 || s2 in x2 || "value" == s2 && "defaultValue" in x2 || "checked" == s2 && "defaultChecked" in x2 || N(t2, s2, null, k2, f22);
    for (s2 in x2) k2 = x2[s2], "children" == s2 ? _2 = k2 : "dangerouslySetInnerHTML" == s2 ? h2 = k2 : "value" == s2 ? b2 = k2 : "checked" == s2 ? m2 = k2 : l2 && "function" != typeof k2 || $2[s2] === k2 || N(t2, s2, k2, $2[s2], f22);
    h2 ? (l2 || y2 && (h2.__html == y2.__html || h2.__html == t2.innerHTML) || (t2.innerHTML = h2.__html), r2.__k = []) : (y2 && (t2.textContent = ""), ("foreignObject" == C2 || "http://www.w3.org/1998/Math/MathML" == f22 && v.test(C2)) && (f22 = "http://www.w3.org/1999/xhtml"), I(a22, w(_2) ? _2 : [_2], r2, u2, i2, f22, o22, e2, o22 ? o22[0] : u2.__k && S(u2, 0), l2, c2), o22 && o22.some(g)), l2 && "textarea" != C2 || (s2 = "value", "progress" == C2 && null == b2 ? t2.removeAttribute(s2) : null == b2 || b2 === t2[s2] && ("progress" != C2 || b2) || N(t2, s2, b2, $2[s2], f22), s2 = "checked", null != m2 && m2 != t2[s2] && N(t2, s2, m2, $2[s2], f22));
  } else $2 === x2 || l2 && t2.data == x2 || (t2.data = x2);
  return t2;
}
function G(t2, r2, u2, i2) {
  try {
    "function" == typeof t2 ? r2 ? r2.__x = t2(r2) || 1 : i2 && (i2 = i2.__c || i2.__e) && (r2 = i2.__x) && (i2.__x = null, "function" == typeof r2 ? r2() : t2(null)) : t2.current = r2;
  } catch (t3) {
    n.__e(t3, u2);
  }
}
function J(t2, r2, u2) {
  var i2, f22, o22, e2;
  if (n.unmount && n.unmount(t2), !(i2 = t2.ref) || i2.current && i2.current != t2.__e || G(i2, null, r2, t2), i2 = t2.__c) {
    if (i2.componentWillUnmount) try {
      i2.componentWillUnmount();
    } catch (t3) {
      n.__e(t3, r2);
    }
    i2.__P = i2.__n = null;
  }
  if (i2 = t2.__k) for (e2 = 0; e2 < i2.length; e2++) i2[e2] && J(i2[e2], r2, "function" != typeof t2.type || u2 && !t2.props.__P);
  !u2 && (i2 = t2.__c) && (i2 = i2.__z) && (f22 = B(i2, o22 = [])) && (i2 == t2.__e && o22.some(g), g(f22), g(i2)), u2 || g(t2.__e), t2.__e = t2.__c = t2.__ = null;
}
function K(n2, t2, r2) {
  return this.constructor(n2, r2);
}
function Q(t2, r2) {
  var u2, i2, f22, o22;
  n.__ && n.__(t2, r2), 9 == r2.nodeType && (r2 = r2.documentElement), i2 = (u2 = t2 && 32 & t2.__u) ? null : r2.__k, r2.__k = m($, { children: [t2] }), f22 = [], o22 = [], z(r2, r2.__k, i2 || p, p, r2.namespaceURI, i2 ? null : r2.firstChild ? d.call(r2.childNodes) : null, f22, i2 ? i2.__e : r2.firstChild, u2, o22), E(f22, r2.__k, o22), r2.__k.props.children = null;
}
n = { __e: function(n2, t2, r2, u2) {
  for (var i2, o22, e2; t2 = t2.__; ) if ((i2 = t2.__c) && !(1 & i2.__g)) {
    i2.__g |= 4;
    try {
      if ((e2 = (o22 = i2.constructor) && o22.getDerivedStateFromError) && i2.setState(o22.getDerivedStateFromError(n2)), i2.componentDidCatch && (i2.componentDidCatch(n2, u2 || {}), e2 = 1), e2 && 8 & i2.__g) return void (i2.__g |= 2);
    } catch (t3) {
      n2 = t3;
    }
  }
  throw f = 0, n2;
} }, t = 0, r = function(n2) {
  return null != n2 && n2.constructor === h;
}, x.prototype.setState = function(n2, t2) {
  var r2 = this.__s;
  r2 && r2 != this.state || (r2 = this.__s = _({}, this.state)), "function" == typeof n2 && (n2 = n2(_({}, r2), this.props)), n2 && (_(r2, n2), this.__v && (t2 && this.__k.push(t2), L(this)));
}, x.prototype.forceUpdate = function(n2) {
  this.__v && (this.__g |= 4, n2 && this.__h.push(n2), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n2, t2) {
  return n2.__v.__b - t2.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

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
    confirmation: "This code asks to be run. The page runs nothing.",
    error: "Error",
    image: "Image of the answer"
  },
  branches: {},
  conversations: {},
  runs: {},
  usage: {},
  keys: {},
  models: {},
  files: {},
  settings: {}
};
function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => name in values ? String(values[name]) : whole);
}

// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f2 = /* @__PURE__ */ Symbol.for("pv");
var o2 = 0;
function a2(t2, e2, n2, u2, a22, i2) {
  e2 || (e2 = {});
  var c2, l2, p2 = e2;
  if ("ref" in p2 && "function" != typeof t2) for (l2 in p2 = {}, e2) "ref" == l2 ? c2 = e2[l2] : p2[l2] = e2[l2];
  var s2 = { type: t2, props: p2, key: n2, ref: c2, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f2, __v: --o2, __i: -1, __u: 0 };
  return (a22 || i2) && (s2.__source = a22, s2.__self = i2), n.vnode && n.vnode(s2), s2;
}

export {
  n,
  r,
  k,
  $,
  x,
  Q,
  words,
  fill,
  a2 as a
};
