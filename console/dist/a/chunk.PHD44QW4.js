import{i,words}from"./chunk.QMEWQLJE.js";function Table({caption,columns,rows,id}){let[first,...others]=columns;return i("div",{class:"scroll rows",role:"region","aria-label":caption,tabIndex:0,children:i(
"table",{role:"table",children:[i("caption",{class:"unseen",children:caption}),i("thead",{role:"rowgroup",children:i("tr",{role:"row",children:columns.map(column=>i(
"th",{scope:"col",role:"columnheader",class:column.numeric?"numeric":void 0,children:column.title},column.title))})}),i("tbody",{role:"rowgroup",children:rows.map(
row=>i("tr",{role:"row",children:[i("th",{scope:"row",role:"rowheader",children:first.cell(row)}),others.map(column=>i(Cell,{of:column,children:column.cell(row)},
column.title))]},id(row)))})]})})}function Cell({of,children}){let empty=children===words.units.none||!children&&children!==0,looks=[of.numeric&&"numeric",of.bare&&
"buttons",empty&&"nothing"].filter(Boolean).join(" ");return i("td",{role:"cell",class:looks||void 0,"data-label":of.bare?void 0:of.title,children:i("div",{children})})}export{Table};
