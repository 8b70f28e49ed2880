var kinds=[["image/png",[137,80,78,71]],["image/jpeg",[255,216,255]],["image/gif",[71,73,70,56]]];async function picture(blob){let head=new Uint8Array(await blob.
slice(0,12).arrayBuffer()),ascii=String.fromCharCode(...head),type=ascii.startsWith("RIFF")&&ascii.endsWith("WEBP")?"image/webp":kinds.find(([,magic])=>magic.every(
(byte,i)=>head[i]===byte))?.[0];return type?new Blob([blob],{type}):null}export{picture};
