import {
  $,
  a,
  k,
  n,
  r,
  words,
  x
} from "./chunk.2CUMNNNZ.js";

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
function y(n3, t3) {
  a2.__h && a2.__h(r2, n3, f || t3), f = 0;
  var u3 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n3 >= u3.__.length && u3.__.push({}), u3.__[n3];
}
function d(n3) {
  return f = 1, _(G, n3);
}
function _(n3, u3, i3) {
  var f3 = y(t++, 2);
  if (f3.t = n3, !f3.__c && (f3.__ = [i3 ? i3(u3) : G(void 0, u3), function(n4) {
    var t3 = (f3.__N || f3.__)[0], r4 = f3.t(t3, n4);
    o(t3, r4) || (f3.__N = [r4, f3.__[1]], f3.__c.setState({}));
  }], f3.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c3 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n4, t3, r4) {
      var u4 = this.__H;
      if (!u4) return true;
      var i4 = false, f4 = this.props != n4;
      if (u4.__.some(function(n5) {
        n5.__N && (i4 = true, o(n5.__[0], n5.__N[0]) || (f4 = true));
      }), c3) {
        var e3 = c3.call(this, n4, t3, r4);
        return i4 ? e3 || f4 : e3;
      }
      return !i4 || f4;
    };
  }
  return f3.__;
}
function A(n3, u3) {
  var i3 = y(t++, 3);
  !a2.__s && E(i3.__H, u3) && (i3.__P = true, i3.__ = n3, i3.u = u3, r2.__H.__h.push(i3));
}
function F(n3, u3) {
  var i3 = y(t++, 4);
  !a2.__s && E(i3.__H, u3) && (i3.__P = false, i3.__ = n3, i3.u = u3, r2.__h.push(i3));
}
function T(n3) {
  return f = 5, w(function() {
    return { current: n3 };
  }, []);
}
function w(n3, r4) {
  var u3 = y(t++, 7);
  return E(u3.__H, r4) && (u3.__ = n3(), u3.__H = r4), u3.__;
}
function P() {
  var n3 = y(t++, 11);
  if (!n3.__) {
    for (var u3 = r2.__v; !u3.__m && u3.__; ) u3 = u3.__;
    var i3 = u3.__m || (u3.__m = [0, 0]);
    n3.__ = "P" + i3[0] + "-" + i3[1]++;
  }
  return n3.__;
}
function g() {
  var n3;
  do {
    for (; n3 = e.shift(); ) try {
      C(n3);
    } catch (t4) {
      a2.__e(t4, { __: (n3 = n3.__P) && n3.__v });
    }
    for (; n3 = c.shift(); ) {
      var t3 = n3.__H;
      if (n3.__P && t3) try {
        t3.__h.some(C), t3.__h.some(D), t3.__h = [];
      } catch (r4) {
        t3.__h = [], a2.__e(r4, n3.__v);
      }
    }
  } while (e.length);
}
a2.__b = function(n3) {
  r2 = null, v && v(n3);
}, a2.__ = function(n3, t3) {
  n3 && t3.__k && t3.__k.__m && (n3.__m = t3.__k.__m), p && p(n3, t3);
}, a2.__r = function(n3) {
  l && l(n3), t = 0;
  var i3 = (r2 = n3.__c).__H;
  i3 && (u == r2 ? r2.__h = [] : (i3.__h.some(C), i3.__h.some(D), t = 0), i3.__h = [], i3.__.some(function(n4) {
    n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
  })), u = r2;
}, a2.diffed = function(n3) {
  m && m(n3);
  var t3 = n3.__c;
  t3 && t3.__H && (t3.__H.__h.length && B(c.push(t3)), t3.__H.__.some(function(n4) {
    n4.u && (n4.__H = n4.u);
  })), u = r2 = null;
}, a2.__c = function(n3, t3) {
  t3.some(function(n4) {
    try {
      n4.__h.some(C), n4.__h = n4.__h.filter(function(n5) {
        return !n5.__ || D(n5);
      });
    } catch (t4) {
      n4.__h = [function() {
        throw t4;
      }];
    }
  }), h && h(n3, t3);
}, a2.unmount = function(n3) {
  s && s(n3);
  var t3, r4, u3 = n3.__c;
  u3 && u3.__H && (u3.__H.__.some(function(u4) {
    try {
      if (u4.__P && u4.__c) {
        if (void 0 === r4) {
          for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u4.__P = r4, B(e.push(u4));
      } else C(u4);
    } catch (n4) {
      t3 = n4;
    }
  }), u3.__H = void 0, t3 && a2.__e(t3, u3.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z(n3) {
  var t3, r4 = function() {
    clearTimeout(u3), k2 && cancelAnimationFrame(t3), setTimeout(n3);
  }, u3 = setTimeout(r4, 35);
  k2 && (t3 = requestAnimationFrame(r4));
}
function B(n3) {
  1 != n3 && i == a2.requestAnimationFrame || ((i = a2.requestAnimationFrame) || z)(g);
}
function C(n3) {
  var t3 = r2, u3 = n3.__c;
  "function" == typeof u3 && (n3.__c = void 0, u3()), r2 = t3;
}
function D(n3) {
  var t3 = r2;
  n3.__c = n3.__(), r2 = t3;
}
function E(n3, t3) {
  return !n3 || n3.length != t3.length || t3.some(function(t4, r4) {
    return !o(t4, n3[r4]);
  });
}
function G(n3, t3) {
  return "function" == typeof t3 ? t3(n3) : t3;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i2 = /* @__PURE__ */ Symbol.for("preact-signals");
function t2() {
  if (!(v2 > 1)) {
    var i3, t3 = false;
    !(function() {
      var i4 = c2;
      c2 = void 0;
      while (void 0 !== i4) {
        var t4 = i4.S;
        if (t4.v === i4.v) {
          for (var r5 = t4.t; void 0 !== r5; r5 = r5.x) if (r5.i === i4.i) r5.i = t4.i;
        }
        i4 = i4.o;
      }
    })();
    while (void 0 !== h2) {
      var r4 = h2;
      h2 = void 0;
      s2++;
      while (void 0 !== r4) {
        var n3 = r4.u;
        r4.u = void 0;
        r4.f &= -3;
        if (!(8 & r4.f) && w2(r4)) try {
          r4.c();
        } catch (r5) {
          if (!t3) {
            i3 = r5;
            t3 = true;
          }
        }
        r4 = n3;
      }
    }
    s2 = 0;
    v2--;
    if (t3) throw i3;
  } else v2--;
}
function r3(i3) {
  if (v2 > 0) return i3();
  u2 = ++e2;
  v2++;
  try {
    return i3();
  } finally {
    t2();
  }
}
var n2;
var o2 = void 0;
function f2(i3) {
  var t3 = o2, r4 = n2;
  o2 = void 0;
  n2 = void 0;
  try {
    return i3();
  } finally {
    o2 = t3;
    n2 = r4;
  }
}
var h2 = void 0;
var v2 = 0;
var s2 = 0;
var e2 = 0;
var u2 = 0;
var c2 = void 0;
var a3 = 0;
function d2(i3) {
  if (void 0 !== o2) {
    var t3 = i3.n;
    if (void 0 === t3 || t3.t !== o2) {
      t3 = { i: 0, S: i3, p: o2.s, n: void 0, t: o2, e: void 0, x: void 0, r: t3 };
      if (void 0 !== o2.s) o2.s.n = t3;
      o2.s = t3;
      i3.n = t3;
      if (32 & o2.f) i3.S(t3);
      return t3;
    } else if (-1 === t3.i) {
      t3.i = 0;
      if (void 0 !== t3.n) {
        t3.n.p = t3.p;
        if (void 0 !== t3.p) t3.p.n = t3.n;
        t3.p = o2.s;
        t3.n = void 0;
        o2.s.n = t3;
        o2.s = t3;
      }
      return t3;
    }
  }
}
function l2(i3, t3) {
  this.v = i3;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t3 ? void 0 : t3.watched;
  this.Z = null == t3 ? void 0 : t3.unwatched;
  this.name = null == t3 ? void 0 : t3.name;
}
l2.prototype.brand = i2;
l2.prototype.h = function() {
  return true;
};
l2.prototype.S = function(i3) {
  var t3 = this, r4 = this.t;
  if (r4 !== i3 && void 0 === i3.e) {
    i3.x = r4;
    this.t = i3;
    if (void 0 !== r4) r4.e = i3;
    else f2(function() {
      var i4;
      null == (i4 = t3.W) || i4.call(t3);
    });
  }
};
l2.prototype.U = function(i3) {
  var t3 = this;
  if (void 0 !== this.t) {
    var r4 = i3.e, n3 = i3.x;
    if (void 0 !== r4) {
      r4.x = n3;
      i3.e = void 0;
    }
    if (void 0 !== n3) {
      n3.e = r4;
      i3.x = void 0;
    }
    if (i3 === this.t) {
      this.t = n3;
      if (void 0 === n3) f2(function() {
        var i4;
        null == (i4 = t3.Z) || i4.call(t3);
      });
    }
  }
};
l2.prototype.subscribe = function(i3) {
  var t3 = this;
  return x2(function() {
    var r4 = t3.value;
    f2(function() {
      return i3(r4);
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
  var i3 = this;
  return f2(function() {
    return i3.value;
  });
};
Object.defineProperty(l2.prototype, "value", { get: function() {
  var i3 = d2(this);
  if (void 0 !== i3) i3.i = this.i;
  return this.v;
}, set: function(i3) {
  if (i3 !== this.v) {
    if (s2 > 100) throw new Error("Cycle detected");
    !(function(i4) {
      if (0 !== v2 && 0 === s2) {
        if (i4.l !== u2) {
          i4.l = u2;
          c2 = { S: i4, v: i4.v, i: i4.i, o: c2 };
        }
      }
    })(this);
    this.v = i3;
    this.i++;
    a3++;
    v2++;
    try {
      for (var r4 = this.t; void 0 !== r4; r4 = r4.x) r4.t.N();
    } finally {
      t2();
    }
  }
} });
function y2(i3, t3) {
  return new l2(i3, t3);
}
function w2(i3) {
  for (var t3 = i3.s; void 0 !== t3; t3 = t3.n) if (t3.S.i !== t3.i || !t3.S.h() || t3.S.i !== t3.i) return true;
  return false;
}
function b(i3) {
  for (var t3 = i3.s; void 0 !== t3; t3 = t3.n) {
    var r4 = t3.S.n;
    if (void 0 !== r4) t3.r = r4;
    t3.S.n = t3;
    t3.i = -1;
    if (void 0 === t3.n) {
      i3.s = t3;
      break;
    }
  }
}
function _2(i3) {
  var t3 = i3.s, r4 = void 0;
  while (void 0 !== t3) {
    var n3 = t3.p;
    if (-1 === t3.i) {
      t3.S.U(t3);
      if (void 0 !== n3) n3.n = t3.n;
      if (void 0 !== t3.n) t3.n.p = n3;
    } else r4 = t3;
    t3.S.n = t3.r;
    if (void 0 !== t3.r) t3.r = void 0;
    t3 = n3;
  }
  i3.s = r4;
}
function j(i3, t3) {
  l2.call(this, void 0, t3);
  this.x = i3;
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
  var i3 = o2;
  try {
    b(this);
    o2 = this;
    var t3 = this.x();
    if (16 & this.f || this.v !== t3 || 0 === this.i) {
      this.v = t3;
      this.f &= -17;
      this.i++;
    }
  } catch (i4) {
    this.v = i4;
    this.f |= 16;
    this.i++;
  }
  o2 = i3;
  _2(this);
  this.f &= -2;
  return true;
};
j.prototype.S = function(i3) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t3 = this.s; void 0 !== t3; t3 = t3.n) t3.S.S(t3);
  }
  l2.prototype.S.call(this, i3);
};
j.prototype.U = function(i3) {
  if (void 0 !== this.t) {
    l2.prototype.U.call(this, i3);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t3 = this.s; void 0 !== t3; t3 = t3.n) t3.S.U(t3);
    }
  }
};
j.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i3 = this.t; void 0 !== i3; i3 = i3.x) i3.t.N();
  }
};
Object.defineProperty(j.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i3 = d2(this);
  this.h();
  if (void 0 !== i3) i3.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(i3, t3) {
  return new j(i3, t3);
}
function p2(i3) {
  var r4 = i3.j;
  i3.j = void 0;
  if ("function" == typeof r4) {
    v2++;
    var n3 = o2;
    o2 = void 0;
    try {
      r4();
    } catch (t3) {
      i3.f &= -2;
      i3.f |= 8;
      g2(i3);
      throw t3;
    } finally {
      o2 = n3;
      t2();
    }
  }
}
function g2(i3) {
  for (var t3 = i3.s; void 0 !== t3; t3 = t3.n) t3.S.U(t3);
  i3.x = void 0;
  i3.s = void 0;
  p2(i3);
}
function S(i3) {
  if (o2 !== this) throw new Error("Out-of-order effect");
  _2(this);
  o2 = i3;
  this.f &= -2;
  try {
    if (8 & this.f) g2(this);
  } finally {
    t2();
  }
}
function m2(i3, t3) {
  this.x = i3;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t3 ? void 0 : t3.name;
  if (n2) n2.push(this);
}
m2.prototype.c = function() {
  var i3 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    var t3 = this.x();
    if ("function" == typeof t3) this.j = t3;
  } finally {
    i3();
  }
};
m2.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p2(this);
  b(this);
  v2++;
  var i3 = o2;
  o2 = this;
  return S.bind(this, i3);
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
function x2(i3, t3) {
  var r4 = new m2(i3, t3);
  try {
    r4.c();
  } catch (i4) {
    r4.d();
    throw i4;
  }
  var n3 = r4.d.bind(r4);
  n3[Symbol.dispose] = n3;
  return n3;
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
function b2(i3, n3) {
  n[i3] = n3.bind(null, n[i3] || function() {
  });
}
function y3(i3) {
  if (p3) {
    var n3 = p3;
    p3 = void 0;
    n3();
  }
  p3 = i3 && i3.S();
}
function w3(i3) {
  var n3 = this, r4 = i3.data, t3 = useSignal(r4);
  t3.name = "ReactiveDom";
  t3.value = r4;
  var e3 = w(function() {
    var i4 = n3, r5 = n3.__v;
    while (r5 = r5.__) if (r5.__c) {
      r5.__c.__$f |= 4;
      break;
    }
    var o3 = O(function() {
      var i5 = t3.value.value;
      return 0 === i5 ? 0 : true === i5 ? "" : i5 || "";
    }), e4 = O(function() {
      return !Array.isArray(o3.value) && !r(o3.value);
    }), u4 = x2(function() {
      this.N = M;
      if (e4.value) {
        var n4 = o3.value;
        if (i4.__v && i4.__v.__e && 3 === i4.__v.__e.nodeType) i4.__v.__e.data = n4;
      }
    }), c4 = n3.__$u.d;
    n3.__$u.d = function() {
      u4();
      c4.call(this);
    };
    return [e4, o3];
  }, []), u3 = e3[0], c3 = e3[1];
  return u3.value ? c3.peek() : c3.value;
}
w3.displayName = "ReactiveTextNode";
Object.defineProperties(l2.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w3 }, props: { configurable: true, get: function() {
  var i3 = this;
  return { data: { get value() {
    return i3.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", function(i3, n3) {
  y3();
  d3 = void 0;
  if ("string" == typeof n3.type) {
    var r4, t3 = n3.props;
    for (var f3 in t3) if ("children" !== f3) {
      var o3 = t3[f3];
      if (o3 instanceof l2) {
        if (!r4) n3.__np = r4 = {};
        r4[f3] = o3;
        t3[f3] = o3.peek();
      }
    }
  }
  i3(n3);
});
b2("__r", function(i3, r4) {
  i3(r4);
  if (r4.type !== $) {
    y3();
    var t3, f3 = r4.__c;
    if (f3) {
      f3.__$f &= -2;
      if (void 0 === (t3 = f3.__$u)) f3.__$u = t3 = (function(i4, n3) {
        var r5;
        x2(function() {
          r5 = this;
        }, { name: n3 });
        r5.c = i4;
        return r5;
      })(/* @__PURE__ */ (function(i4) {
        return function() {
          var n3;
          if (m3) null == (n3 = this.y) || n3.call(this);
          i4.__$f |= 1;
          i4.setState({});
        };
      })(f3), "function" == typeof r4.type ? r4.type.displayName || r4.type.name : "");
    }
    d3 = f3;
    y3(t3);
  }
});
b2("__e", function(i3, n3, r4, t3) {
  y3();
  d3 = void 0;
  i3(n3, r4, t3);
});
b2("diffed", function(i3, n3) {
  y3();
  d3 = void 0;
  var r4;
  if ("string" == typeof n3.type && (r4 = n3.__e)) {
    var t3 = n3.__np, f3 = n3.props, o3 = r4.U;
    if (o3) for (var e3 in o3) {
      var u3 = o3[e3];
      if (!(void 0 === u3 || t3 && e3 in t3)) {
        u3.d();
        o3[e3] = void 0;
      }
    }
    if (t3) {
      if (!o3) {
        o3 = {};
        r4.U = o3;
      }
      for (var a4 in t3) {
        var c3 = o3[a4], v3 = t3[a4];
        if (void 0 === c3) {
          c3 = k3(r4, a4, v3, f3);
          o3[a4] = c3;
        } else c3.o(v3, f3);
      }
    }
  }
  i3(n3);
});
function k3(i3, n3, r4, t3) {
  var f3 = n3 in i3 && void 0 === i3.ownerSVGElement, o3 = y2(r4);
  return { o: function(i4, n4) {
    o3.value = i4;
    t3 = n4;
  }, d: x2(function() {
    this.N = M;
    var r5 = o3.value.value;
    if (t3[n3] !== r5) {
      t3[n3] = r5;
      if (f3) i3[n3] = r5;
      else if (null != r5 && (false !== r5 || "-" === n3[4])) i3.setAttribute(n3, r5);
      else i3.removeAttribute(n3);
    }
  }) };
}
b2("unmount", function(i3, n3) {
  if ("string" == typeof n3.type) {
    var r4 = n3.__e;
    if (r4) {
      var t3 = r4.U;
      if (t3) {
        r4.U = void 0;
        for (var f3 in t3) {
          var o3 = t3[f3];
          if (o3) o3.d();
        }
      }
    }
    var e3 = n3.__np;
    if (e3) {
      var u3 = n3.props;
      for (var a4 in e3) u3[a4] = e3[a4];
    }
    n3.__np = void 0;
  } else {
    var c3 = n3.__c;
    if (c3) {
      c3.__$f |= 8;
      var v3 = c3.__$u;
      if (v3) {
        c3.__$u = void 0;
        v3.d();
      }
    }
  }
  i3(n3);
});
b2("__h", function(i3, n3, r4, t3) {
  if (t3 < 3) n3.__$f |= 2;
  i3(n3, r4, t3);
});
x.prototype.shouldComponentUpdate = function(i3, n3) {
  if (this.__R) return true;
  var r4 = this.__$u, t3 = r4 && void 0 !== r4.s;
  for (var f3 in n3) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    var o3 = 2 & this.__$f;
    if (!(t3 || o3 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(t3 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (var e3 in i3) if ("__source" !== e3 && i3[e3] !== this.props[e3]) return true;
  for (var u3 in this.props) if (!(u3 in i3)) return true;
  return false;
};
function useSignal(i3, n3) {
  return w(function() {
    return y2(i3, n3);
  }, []);
}
var A2 = function(i3) {
  queueMicrotask(function() {
    queueMicrotask(i3);
  });
};
function F2() {
  r3(function() {
    var i3;
    while (i3 = g3.shift()) h3.call(i3);
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
