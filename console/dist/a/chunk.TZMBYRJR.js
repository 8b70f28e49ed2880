import{ago,clockWithMs,dayShort,i,iso,time}from"./chunk.QMEWQLJE.js";function Time({at}){return i("time",{dateTime:iso(at),title:time(at),children:ago(at)})}function Clock({at}){return i("time",{class:"clock",dateTime:iso(at/1e3),
children:[clockWithMs(at)," ",i("span",{class:"fine",children:dayShort(at)})]})}export{Time,Clock};
