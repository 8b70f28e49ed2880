// openai-go. Jobs come as JSON lines, all are done at once.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type job struct {
	ID                 int
	URL, Model, Prompt string
	Stream, Tools      bool
}

var out sync.Mutex

func tell(line map[string]any) {
	out.Lock()
	defer out.Unlock()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

var note = openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
	Name: "note",
	Parameters: openai.FunctionParameters{"type": "object",
		"properties": map[string]any{"text": map[string]any{"type": "string"}}},
})

func call(client openai.Client, j job, say func(string)) error {
	ask := openai.ChatCompletionNewParams{Model: j.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(j.Prompt)}}
	if j.Tools {
		ask.Tools = []openai.ChatCompletionToolUnionParam{note}
	}
	if !j.Stream {
		answer, err := client.Chat.Completions.New(context.Background(), ask)
		if err == nil {
			say(answer.Choices[0].Message.Content)
		}
		return err
	}
	stream := client.Chat.Completions.NewStreaming(context.Background(), ask)
	defer stream.Close()
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			say(choice.Delta.Content)
			for _, made := range choice.Delta.ToolCalls {
				say(made.Function.Arguments)
			}
		}
	}
	return stream.Err()
}

func work(j job) {
	client := openai.NewClient(option.WithBaseURL(j.URL), option.WithAPIKey("none"))
	text := ""
	say := func(piece string) {
		if text == "" && piece != "" {
			tell(map[string]any{"id": j.ID, "began": true})
		}
		text += piece
	}
	var failed map[string]any
	if err := call(client, j, say); err != nil {
		failed = map[string]any{"kind": fmt.Sprintf("%T", err), "message": err.Error(),
			"status": nil}
		var told *openai.Error
		if errors.As(err, &told) {
			failed["status"] = told.StatusCode
		}
	}
	tell(map[string]any{"id": j.ID, "text": text, "error": failed})
}

func main() {
	var all sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var j job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			panic(err)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			work(j)
		}()
	}
	all.Wait()
}
