function csvField(value){let safe=/^[=+\-@\t\r]/.test(value)?`'${value}`:value;return/[",\r\n]/.test(safe)?`"${safe.replaceAll('"','""')}"`:safe}var csvLines=lines=>lines.map(line=>line.map(csvField).join(",")).join(`\r
`)+`\r
`,lineCount=text=>text.replace(/"[^"]*"/g,"").split(`\r
`).length-2,withoutHead=text=>text.slice(text.indexOf(`\r
`)+2);export{csvLines,lineCount,withoutHead};
