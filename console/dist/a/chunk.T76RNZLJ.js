import{go}from"./chunk.EV7FTPOP.js";var prepared=null;function sayAnew(text){prepared=text,go("chat",null,{new:crypto.randomUUID()})}function takePrepared(){let taken=prepared;return prepared=null,
taken}export{sayAnew,takePrepared};
