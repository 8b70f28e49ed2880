import{Time}from"./chunk.KJZOJY4M.js";import{$,i,words}from"./chunk.BYMXU3CJ.js";function HealthBadge({of,until}){return i($,{children:[i("span",{class:`badge ${of==="fine"?"good":of==="probe"?"":"bad"}`,title:words.models.healthTexts[of],children:words.models.health[of]}),until&&i("p",{class:"fine",children:[words.models.
until," ",i(Time,{at:until})]})]})}export{HealthBadge};
