import{D,k}from"./chunk.QMEWQLJE.js";var STORED="parley.preferences",defaults={theme:"auto",letters:!0,model:"",favourites:[],administration:!1,begun:!1},preferences=D(read());function prefer(change){
preferences.value={...preferences.value,...change},localStorage.setItem(STORED,JSON.stringify(preferences.value))}function read(){try{return{...defaults,...JSON.
parse(localStorage.getItem(STORED)??"{}")}}catch{return defaults}}k(()=>{document.documentElement.dataset.theme=preferences.value.theme});export{preferences,prefer};
