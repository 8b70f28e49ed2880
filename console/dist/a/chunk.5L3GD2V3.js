var RANGES={"1h":3600,"24h":86400,"7d":604800,"30d":2592e3};function rangeOf(address,otherwise=""){let name=address.get("range")??"",[from,to]=["from","to"].map(
end=>seconds(address.get(end)));return from!==null||to!==null?{name:"",from,to}:{name:name in RANGES?name:otherwise,from:null,to:null}}function seconds(text){return text!==
null&&/^\d{1,11}$/.test(text)?Number(text):null}function spanOf({name,from,to},now=Date.now()/1e3){return name===""?{from,to}:{from:Math.floor(now)-RANGES[name],
to:null}}function localInput(at){if(at===null)return"";let date=new Date(at*1e3);return new Date(date.getTime()-date.getTimezoneOffset()*6e4).toISOString().slice(
0,16)}function fromInput(text){let at=Date.parse(text);return Number.isNaN(at)?null:Math.floor(at/1e3)}export{RANGES,rangeOf,spanOf,localInput,fromInput};
