import{useLoad}from"./chunk.HV6AWK6K.js";import{ApiError,get,query}from"./chunk.QMEWQLJE.js";var PAGE=100,GROUPS_MOST=1e3,nameOf=of=>of.name||of.id;async function readGroups(signal){let found=[];for(let after;found.length<GROUPS_MOST;){let page=await get(
`/v1/admin/groups${query({limit:PAGE,after})}`,{signal});if(found.push(...page.data),!page.has_more||!page.last_id)break;after=page.last_id}return found}function useGroups(){
return useLoad(readGroups,[])}async function readBudgets(limit,signal){try{return(await get(`/v1/admin/budgets?limit=${limit}`,{signal})).data}catch(error){if(error instanceof
ApiError&&error.status===404)return[];throw error}}export{nameOf,readGroups,useGroups,readBudgets};
