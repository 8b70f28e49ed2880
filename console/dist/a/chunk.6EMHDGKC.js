import{go}from"./chunk.IRFBDQZT.js";var prepared=null;function sayAnew(text,options,files){prepared={text,files,options},go("chat",null,{new:crypto.randomUUID()})}function takePrepared(){let taken=prepared;
return prepared=null,taken}export{sayAnew,takePrepared};
