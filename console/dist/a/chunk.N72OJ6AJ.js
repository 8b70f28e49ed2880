import{lineCount,withoutHead}from"./chunk.23CIKIEQ.js";import{save}from"./chunk.2GJ4U3AR.js";import{useAction}from"./chunk.7L7ZIUJW.js";import{
announce}from"./chunk.I223LIPR.js";import{$,Icon,Refused,call,count,i,w,words}from"./chunk.QMEWQLJE.js";function CsvButton({path,most,name}){let action=useAction(),[cut,setCut]=w(null),download=()=>action.run(async()=>{setCut(null);let pages=[],lines=0,after=null;
do{let answer=await call(path(after??void 0)),text=await answer.text();pages.push(pages.length?withoutHead(text):text),lines+=lineCount(text),after=answer.headers.
get("x-next")}while(after&&lines<most);save(new Blob(pages,{type:"text/csv"}),name),announce(count(lines,words.csv.saved)),after&&setCut(lines)});return i($,{children:[
i("button",{type:"button",disabled:action.busy,onClick:download,children:[i(Icon,{name:"down"}),words.csv.download]}),action.error&&i(Refused,{error:action.error}),
cut!==null&&i("p",{class:"notice",role:"status",children:count(cut,words.csv.cut)})]})}export{CsvButton};
