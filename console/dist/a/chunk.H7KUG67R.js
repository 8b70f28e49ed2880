import{D,J,get}from"./chunk.BYMXU3CJ.js";var catalog=D(null),models=J(()=>{let chat=catalog.value?.filter(model=>model.kind!=="embedding");return chat?[...chat].sort((a,b)=>Number(b.default)-Number(a.default)).map(model=>model.id):null});async function readModels(signal){return catalog.
value=(await get("/v1/models",{signal})).data,catalog.value}export{catalog,models,readModels};
