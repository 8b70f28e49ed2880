import {
  $,
  a,
  k,
  n,
  r,
  words,
  x
} from "./chunk.XZCOMGMY.js";

// node_modules/preact/hooks/dist/hooks.mjs
var t;
var r2;
var u;
var i;
var o = Object.is;
var f = 0;
var c = [];
var e = [];
var a2 = n;
var v = a2.__b;
var l = a2.__r;
var m = a2.diffed;
var h = a2.__c;
var s = a2.unmount;
var p = a2.__;
function y(n22, t22) {
  a2.__h && a2.__h(r2, n22, f || t22), f = 0;
  var u22 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n22 >= u22.__.length && u22.__.push({}), u22.__[n22];
}
function d(n22) {
  return f = 1, _(G, n22);
}
function _(n22, u22, i22) {
  var f22 = y(t++, 2);
  if (f22.t = n22, !f22.__c && (f22.__ = [i22 ? i22(u22) : G(void 0, u22), function(n3) {
    var t22 = (f22.__N || f22.__)[0], r22 = f22.t(t22, n3);
    o(t22, r22) || (f22.__N = [r22, f22.__[1]], f22.__c.setState({}));
  }], f22.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c22 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n3, t22, r22) {
      var u3 = this.__H;
      if (!u3) return true;
      var i3 = false, f3 = this.props != n3;
      if (u3.__.some(function(n4) {
        n4.__N && (i3 = true, o(n4.__[0], n4.__N[0]) || (f3 = true));
      }), c22) {
        var e22 = c22.call(this, n3, t22, r22);
        return i3 ? e22 || f3 : e22;
      }
      return !i3 || f3;
    };
  }
  return f22.__;
}
function A(n22, u22) {
  var i22 = y(t++, 3);
  !a2.__s && E(i22.__H, u22) && (i22.__P = true, i22.__ = n22, i22.u = u22, r2.__H.__h.push(i22));
}
function F(n22, u22) {
  var i22 = y(t++, 4);
  !a2.__s && E(i22.__H, u22) && (i22.__P = false, i22.__ = n22, i22.u = u22, r2.__h.push(i22));
}
function T(n22) {
  return f = 5, w(function() {
    return { current: n22 };
  }, []);
}
function w(n22, r22) {
  var u22 = y(t++, 7);
  return E(u22.__H, r22) && (u22.__ = n22(), u22.__H = r22), u22.__;
}
function P() {
  var n22 = y(t++, 11);
  if (!n22.__) {
    for (var u22 = r2.__v; !u22.__m && u22.__; ) u22 = u22.__;
    var i22 = u22.__m || (u22.__m = [0, 0]);
    n22.__ = "P" + i22[0] + "-" + i22[1]++;
  }
  return n22.__;
}
function g() {
  var n22;
  do {
    for (; n22 = e.shift(); ) try {
      C(n22);
    } catch (t3) {
      a2.__e(t3, { __: (n22 = n22.__P) && n22.__v });
    }
    for (; n22 = c.shift(); ) {
      var t22 = n22.__H;
      if (n22.__P && t22) try {
        t22.__h.some(C), t22.__h.some(D), t22.__h = [];
      } catch (r22) {
        t22.__h = [], a2.__e(r22, n22.__v);
      }
    }
  } while (e.length);
}
a2.__b = function(n22) {
  r2 = null, v && v(n22);
}, a2.__ = function(n22, t22) {
  n22 && t22.__k && t22.__k.__m && (n22.__m = t22.__k.__m), p && p(n22, t22);
}, a2.__r = function(n22) {
  l && l(n22), t = 0;
  var i22 = (r2 = n22.__c).__H;
  i22 && (u == r2 ? r2.__h = [] : (i22.__h.some(C), i22.__h.some(D), t = 0), i22.__h = [], i22.__.some(function(n3) {
    n3.__N && (n3.__ = n3.__N), n3.u = n3.__N = void 0;
  })), u = r2;
}, a2.diffed = function(n22) {
  m && m(n22);
  var t22 = n22.__c;
  t22 && t22.__H && (t22.__H.__h.length && B(c.push(t22)), t22.__H.__.some(function(n3) {
    n3.u && (n3.__H = n3.u);
  })), u = r2 = null;
}, a2.__c = function(n22, t22) {
  t22.some(function(n3) {
    try {
      n3.__h.some(C), n3.__h = n3.__h.filter(function(n4) {
        return !n4.__ || D(n4);
      });
    } catch (t3) {
      n3.__h = [function() {
        throw t3;
      }];
    }
  }), h && h(n22, t22);
}, a2.unmount = function(n22) {
  s && s(n22);
  var t22, r22, u22 = n22.__c;
  u22 && u22.__H && (u22.__H.__.some(function(u3) {
    try {
      if (u3.__P && u3.__c) {
        if (void 0 === r22) {
          for (r22 = n22.__; r22 && (!r22.__c || !r22.__c.__P); ) r22 = r22.__;
          r22 = r22 && r22.__c;
        }
        u3.__P = r22, B(e.push(u3));
      } else C(u3);
    } catch (n3) {
      t22 = n3;
    }
  }), u22.__H = void 0, t22 && a2.__e(t22, u22.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z(n22) {
  var t22, r22 = function() {
    clearTimeout(u22), k2 && cancelAnimationFrame(t22), setTimeout(n22);
  }, u22 = setTimeout(r22, 35);
  k2 && (t22 = requestAnimationFrame(r22));
}
function B(n22) {
  1 != n22 && i == a2.requestAnimationFrame || ((i = a2.requestAnimationFrame) || z)(g);
}
function C(n22) {
  var t22 = r2, u22 = n22.__c;
  "function" == typeof u22 && (n22.__c = void 0, u22()), r2 = t22;
}
function D(n22) {
  var t22 = r2;
  n22.__c = n22.__(), r2 = t22;
}
function E(n22, t22) {
  return !n22 || n22.length != t22.length || t22.some(function(t3, r22) {
    return !o(t3, n22[r22]);
  });
}
function G(n22, t22) {
  return "function" == typeof t22 ? t22(n22) : t22;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i2 = /* @__PURE__ */ Symbol.for("preact-signals");
function t2() {
  if (!(v2 > 1)) {
    var i22, t22 = false;
    !(function() {
      var i3 = c2;
      c2 = void 0;
      while (void 0 !== i3) {
        var t3 = i3.S;
        if (t3.v === i3.v) {
          for (var r32 = t3.t; void 0 !== r32; r32 = r32.x) if (r32.i === i3.i) r32.i = t3.i;
        }
        i3 = i3.o;
      }
    })();
    while (void 0 !== h2) {
      var r22 = h2;
      h2 = void 0;
      s2++;
      while (void 0 !== r22) {
        var n22 = r22.u;
        r22.u = void 0;
        r22.f &= -3;
        if (!(8 & r22.f) && w2(r22)) try {
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
    s2 = 0;
    v2--;
    if (t22) throw i22;
  } else v2--;
}
function r3(i22) {
  if (v2 > 0) return i22();
  u2 = ++e2;
  v2++;
  try {
    return i22();
  } finally {
    t2();
  }
}
var n2;
var o2 = void 0;
function f2(i22) {
  var t22 = o2, r22 = n2;
  o2 = void 0;
  n2 = void 0;
  try {
    return i22();
  } finally {
    o2 = t22;
    n2 = r22;
  }
}
var h2 = void 0;
var v2 = 0;
var s2 = 0;
var e2 = 0;
var u2 = 0;
var c2 = void 0;
var a3 = 0;
function d2(i22) {
  if (void 0 !== o2) {
    var t22 = i22.n;
    if (void 0 === t22 || t22.t !== o2) {
      t22 = { i: 0, S: i22, p: o2.s, n: void 0, t: o2, e: void 0, x: void 0, r: t22 };
      if (void 0 !== o2.s) o2.s.n = t22;
      o2.s = t22;
      i22.n = t22;
      if (32 & o2.f) i22.S(t22);
      return t22;
    } else if (-1 === t22.i) {
      t22.i = 0;
      if (void 0 !== t22.n) {
        t22.n.p = t22.p;
        if (void 0 !== t22.p) t22.p.n = t22.n;
        t22.p = o2.s;
        t22.n = void 0;
        o2.s.n = t22;
        o2.s = t22;
      }
      return t22;
    }
  }
}
function l2(i22, t22) {
  this.v = i22;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t22 ? void 0 : t22.watched;
  this.Z = null == t22 ? void 0 : t22.unwatched;
  this.name = null == t22 ? void 0 : t22.name;
}
l2.prototype.brand = i2;
l2.prototype.h = function() {
  return true;
};
l2.prototype.S = function(i22) {
  var t22 = this, r22 = this.t;
  if (r22 !== i22 && void 0 === i22.e) {
    i22.x = r22;
    this.t = i22;
    if (void 0 !== r22) r22.e = i22;
    else f2(function() {
      var i3;
      null == (i3 = t22.W) || i3.call(t22);
    });
  }
};
l2.prototype.U = function(i22) {
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
      if (void 0 === n22) f2(function() {
        var i3;
        null == (i3 = t22.Z) || i3.call(t22);
      });
    }
  }
};
l2.prototype.subscribe = function(i22) {
  var t22 = this;
  return x2(function() {
    var r22 = t22.value;
    f2(function() {
      return i22(r22);
    });
  }, { name: "sub" });
};
l2.prototype.valueOf = function() {
  return this.value;
};
l2.prototype.toString = function() {
  return this.value + "";
};
l2.prototype.toJSON = function() {
  return this.value;
};
l2.prototype.peek = function() {
  var i22 = this;
  return f2(function() {
    return i22.value;
  });
};
Object.defineProperty(l2.prototype, "value", { get: function() {
  var i22 = d2(this);
  if (void 0 !== i22) i22.i = this.i;
  return this.v;
}, set: function(i22) {
  if (i22 !== this.v) {
    if (s2 > 100) throw new Error("Cycle detected");
    !(function(i3) {
      if (0 !== v2 && 0 === s2) {
        if (i3.l !== u2) {
          i3.l = u2;
          c2 = { S: i3, v: i3.v, i: i3.i, o: c2 };
        }
      }
    })(this);
    this.v = i22;
    this.i++;
    a3++;
    v2++;
    try {
      for (var r22 = this.t; void 0 !== r22; r22 = r22.x) r22.t.N();
    } finally {
      t2();
    }
  }
} });
function y2(i22, t22) {
  return new l2(i22, t22);
}
function w2(i22) {
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
function _2(i22) {
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
function j(i22, t22) {
  l2.call(this, void 0, t22);
  this.x = i22;
  this.s = void 0;
  this.g = a3 - 1;
  this.f = 4;
}
j.prototype = new l2();
j.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === a3) return true;
  this.g = a3;
  this.f |= 1;
  if (this.i > 0 && !w2(this)) {
    this.f &= -2;
    return true;
  }
  var i22 = o2;
  try {
    b(this);
    o2 = this;
    var t22 = this.x();
    if (16 & this.f || this.v !== t22 || 0 === this.i) {
      this.v = t22;
      this.f &= -17;
      this.i++;
    }
  } catch (i3) {
    this.v = i3;
    this.f |= 16;
    this.i++;
  }
  o2 = i22;
  _2(this);
  this.f &= -2;
  return true;
};
j.prototype.S = function(i22) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t22 = this.s; void 0 !== t22; t22 = t22.n) t22.S.S(t22);
  }
  l2.prototype.S.call(this, i22);
};
j.prototype.U = function(i22) {
  if (void 0 !== this.t) {
    l2.prototype.U.call(this, i22);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t22 = this.s; void 0 !== t22; t22 = t22.n) t22.S.U(t22);
    }
  }
};
j.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i22 = this.t; void 0 !== i22; i22 = i22.x) i22.t.N();
  }
};
Object.defineProperty(j.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i22 = d2(this);
  this.h();
  if (void 0 !== i22) i22.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(i22, t22) {
  return new j(i22, t22);
}
function p2(i22) {
  var r22 = i22.j;
  i22.j = void 0;
  if ("function" == typeof r22) {
    v2++;
    var n22 = o2;
    o2 = void 0;
    try {
      r22();
    } catch (t22) {
      i22.f &= -2;
      i22.f |= 8;
      g2(i22);
      throw t22;
    } finally {
      o2 = n22;
      t2();
    }
  }
}
function g2(i22) {
  for (var t22 = i22.s; void 0 !== t22; t22 = t22.n) t22.S.U(t22);
  i22.x = void 0;
  i22.s = void 0;
  p2(i22);
}
function S(i22) {
  if (o2 !== this) throw new Error("Out-of-order effect");
  _2(this);
  o2 = i22;
  this.f &= -2;
  try {
    if (8 & this.f) g2(this);
  } finally {
    t2();
  }
}
function m2(i22, t22) {
  this.x = i22;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t22 ? void 0 : t22.name;
  if (n2) n2.push(this);
}
m2.prototype.c = function() {
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
m2.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p2(this);
  b(this);
  v2++;
  var i22 = o2;
  o2 = this;
  return S.bind(this, i22);
};
m2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = h2;
    h2 = this;
  }
};
m2.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g2(this);
};
m2.prototype.dispose = function() {
  this.d();
};
function x2(i22, t22) {
  var r22 = new m2(i22, t22);
  try {
    r22.c();
  } catch (i3) {
    r22.d();
    throw i3;
  }
  var n22 = r22.d.bind(r22);
  n22[Symbol.dispose] = n22;
  return n22;
}

// node_modules/@preact/signals/dist/signals.module.js
var h3;
var d3;
var p3;
var m3 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var g3 = [];
x2(function() {
  h3 = this.N;
})();
function b2(i22, n22) {
  n[i22] = n22.bind(null, n[i22] || function() {
  });
}
function y3(i22) {
  if (p3) {
    var n22 = p3;
    p3 = void 0;
    n22();
  }
  p3 = i22 && i22.S();
}
function w3(i22) {
  var n22 = this, r22 = i22.data, t22 = useSignal(r22);
  t22.name = "ReactiveDom";
  t22.value = r22;
  var e22 = w(function() {
    var i3 = n22, r32 = n22.__v;
    while (r32 = r32.__) if (r32.__c) {
      r32.__c.__$f |= 4;
      break;
    }
    var o22 = O(function() {
      var i4 = t22.value.value;
      return 0 === i4 ? 0 : true === i4 ? "" : i4 || "";
    }), e3 = O(function() {
      return !Array.isArray(o22.value) && !r(o22.value);
    }), u3 = x2(function() {
      this.N = M;
      if (e3.value) {
        var n3 = o22.value;
        if (i3.__v && i3.__v.__e && 3 === i3.__v.__e.nodeType) i3.__v.__e.data = n3;
      }
    }), c3 = n22.__$u.d;
    n22.__$u.d = function() {
      u3();
      c3.call(this);
    };
    return [e3, o22];
  }, []), u22 = e22[0], c22 = e22[1];
  return u22.value ? c22.peek() : c22.value;
}
w3.displayName = "ReactiveTextNode";
Object.defineProperties(l2.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w3 }, props: { configurable: true, get: function() {
  var i22 = this;
  return { data: { get value() {
    return i22.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", function(i22, n22) {
  y3();
  d3 = void 0;
  if ("string" == typeof n22.type) {
    var r22, t22 = n22.props;
    for (var f22 in t22) if ("children" !== f22) {
      var o22 = t22[f22];
      if (o22 instanceof l2) {
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
    y3();
    var t22, f22 = r22.__c;
    if (f22) {
      f22.__$f &= -2;
      if (void 0 === (t22 = f22.__$u)) f22.__$u = t22 = (function(i3, n22) {
        var r32;
        x2(function() {
          r32 = this;
        }, { name: n22 });
        r32.c = i3;
        return r32;
      })(/* @__PURE__ */ (function(i3) {
        return function() {
          var n22;
          if (m3) null == (n22 = this.y) || n22.call(this);
          i3.__$f |= 1;
          i3.setState({});
        };
      })(f22), "function" == typeof r22.type ? r22.type.displayName || r22.type.name : "");
    }
    d3 = f22;
    y3(t22);
  }
});
b2("__e", function(i22, n22, r22, t22) {
  y3();
  d3 = void 0;
  i22(n22, r22, t22);
});
b2("diffed", function(i22, n22) {
  y3();
  d3 = void 0;
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
  var f22 = n22 in i22 && void 0 === i22.ownerSVGElement, o22 = y2(r22);
  return { o: function(i3, n3) {
    o22.value = i3;
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
  return w(function() {
    return y2(i22, n22);
  }, []);
}
var A2 = function(i22) {
  queueMicrotask(function() {
    queueMicrotask(i22);
  });
};
function F2() {
  r3(function() {
    var i22;
    while (i22 = g3.shift()) h3.call(i22);
  });
}
function M() {
  if (1 === g3.push(this)) (n.requestAnimationFrame || A2)(F2);
}

// src/api.ts
var base = new URL("../", location.href.split("#")[0]);
var credentials = { token: "", refused: () => {
} };
var offline = y2(false);
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
  return /* @__PURE__ */ a("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", children: /* @__PURE__ */ a("path", { d: paths[name] }) });
}

// src/router.ts
var route = y2(parse(location.hash));
function href(name, id, parameters = {}) {
  const tail = new URLSearchParams(parameters).toString();
  return `#/${name}${id ? `/${encodeURIComponent(id)}` : ""}${tail ? `?${tail}` : ""}`;
}
function go(name, id, parameters = {}) {
  location.hash = href(name, id, parameters);
}
function replace(name, id, parameters = {}) {
  history.replaceState(null, "", href(name, id, parameters));
  route.value = parse(location.hash);
}
function parse(hash) {
  const [path = "", tail = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", id = ""] = path.split("/", 2);
  return { name, id: id ? decode(id) : null, query: new URLSearchParams(tail) };
}
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

// src/session.ts
var STORED = "parley.session";
var phase = y2("starting");
var me = y2(null);
var admin = y2(false);
var open = O(() => me.value !== null && me.value.id === null);
var signedInKey = null;
var renewal;
function may(scope) {
  if (scope === null) return true;
  return scope === "admin" ? admin.value : me.value?.scopes.includes(scope) ?? false;
}
async function start() {
  credentials.refused = forget;
  credentials.token = stored()?.token ?? "";
  try {
    await learn();
  } catch (error) {
    if (phase.value === "starting") phase.value = refusal(error) ? "out" : "unreachable";
  }
}
async function signIn(key) {
  keep(await get("/v1/session", { body: {}, key }));
  signedInKey = key;
  await learn();
}
async function signOut() {
  try {
    await call("/v1/session", { method: "DELETE" });
  } catch (error) {
    if (!refusal(error)) throw error;
  }
  forget();
}
async function learn() {
  const found = await get("/v1/me");
  admin.value = found.scopes.includes("admin") && await adminServed();
  me.value = found;
  phase.value = "in";
  planRenewal();
}
async function adminServed() {
  try {
    await call("/v1/admin/overview");
    return true;
  } catch (error) {
    if (isAbort(error) || !(error instanceof ApiError) || error.status === 0) throw error;
    return false;
  }
}
function refusal(error) {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}
function keep(session) {
  credentials.token = session.token;
  sessionStorage.setItem(STORED, JSON.stringify(session));
}
function stored() {
  const text = sessionStorage.getItem(STORED);
  return text === null ? null : JSON.parse(text);
}
function forget() {
  clearTimeout(renewal);
  credentials.token = "";
  signedInKey = null;
  sessionStorage.removeItem(STORED);
  me.value = null;
  admin.value = false;
  phase.value = "out";
}
function planRenewal() {
  clearTimeout(renewal);
  const session = stored();
  if (!session) return;
  const left = session.expires_at * 1e3 - Date.now();
  renewal = setTimeout(() => void renew(session), Math.max(1e3, left / 2));
}
async function renew(session) {
  const last = session.ends_at <= session.expires_at;
  if (document.visibilityState === "visible" && (!last || signedInKey !== null))
    try {
      keep(await get("/v1/session", { body: {}, key: last ? signedInKey : void 0 }));
    } catch {
    }
  if (credentials.token) planRenewal();
}

// src/parts/state.tsx
function Refused({ error, retry }) {
  return /* @__PURE__ */ a("div", { class: "notice bad", role: "alert", children: [
    /* @__PURE__ */ a(Icon, { name: "warn" }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("strong", { children: error.status === 0 ? words.state.offline : words.state.refused }),
      error.status !== 0 && /* @__PURE__ */ a("p", { children: error.message }),
      (error.code || error.request_id) && /* @__PURE__ */ a("p", { class: "fine", children: [
        error.status,
        " ",
        error.code,
        error.request_id && /* @__PURE__ */ a($, { children: [
          " · ",
          words.state.request,
          " ",
          /* @__PURE__ */ a("code", { children: error.request_id })
        ] })
      ] }),
      retry && /* @__PURE__ */ a("button", { type: "button", onClick: retry, children: words.state.retry })
    ] })
  ] });
}
function Empty({ title, children }) {
  return /* @__PURE__ */ a("div", { class: "empty", children: [
    /* @__PURE__ */ a("strong", { children: title ?? words.state.empty }),
    children
  ] });
}
function Loading() {
  return /* @__PURE__ */ a("p", { class: "loading", role: "status", children: words.state.loading });
}

// src/parts/announce.tsx
var said = y2("");
function announce(text) {
  said.value = "";
  requestAnimationFrame(() => {
    said.value = text;
  });
}
function Announcer() {
  return /* @__PURE__ */ a("p", { class: "unseen", role: "status", "aria-live": "polite", children: said });
}

export {
  d,
  A,
  F,
  T,
  w,
  P,
  y2 as y,
  x2 as x,
  base,
  offline,
  ApiError,
  call,
  get,
  isAbort,
  query,
  Icon,
  route,
  href,
  go,
  replace,
  phase,
  me,
  open,
  may,
  start,
  signIn,
  signOut,
  announce,
  Announcer,
  Refused,
  Empty,
  Loading
};
