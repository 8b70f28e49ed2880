function save(blob,name){let link=document.createElement("a");link.href=URL.createObjectURL(blob),link.download=name,link.click(),setTimeout(()=>URL.revokeObjectURL(link.href),6e4)}export{save};
