import{ApiError,S,U,isAbort,w}from"./chunk.QMEWQLJE.js";function useLoad(ask,on){let[state,setState]=w({data:null,error:null,busy:!0}),[turn,setTurn]=w(0),asked=U(ask);return asked.current=ask,S(()=>{let abort=new AbortController;
return setState(old=>({...old,busy:!0})),asked.current(abort.signal).then(data=>abort.signal.aborted||setState({data,error:null,busy:!1}),error=>{if(abort.signal.
aborted||isAbort(error))return;let known=error instanceof ApiError?error:new ApiError(0,String(error));setState(old=>({...old,error:known,busy:!1}))}),()=>abort.
abort()},[...on,turn]),{...state,reload:()=>setTurn(old=>old+1),set:data=>setState({data,error:null,busy:!1})}}export{useLoad};
