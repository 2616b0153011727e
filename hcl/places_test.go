// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// takePlaces removes the places from VALUE and adds them to OUT: by JSON pointer "LINE,COLUMN TEXT",
// with the first line of what TEXT has there.
func takePlaces(t *testing.T, text, pointer string, value any, out map[string]string) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for i, one := range value {
			takePlaces(t, text, fmt.Sprintf("%s/%d", pointer, i), one, out)
		}
	case map[string]any:
		if places, there := value[placesKey].(map[string]any); there {
			delete(value, placesKey)
			for field, at := range places {
				name := pointer
				if field != placesKey {
					name += "/" + field
				}
				shown := shownAt(t, text, at)
				if known, twice := out[name]; twice && known != shown {
					t.Errorf("%s stands at %s and at %s", name, known, shown)
				}
				out[name] = shown
			}
		}
		for key, one := range value {
			takePlaces(t, text, pointer+"/"+key, one, out)
		}
	}
}

func shownAt(t *testing.T, text string, at any) string {
	t.Helper()
	var numbers []int
	for _, one := range at.([]any) {
		number, err := one.(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, int(number))
	}
	if len(numbers) != 6 {
		t.Fatalf("a place is %v", numbers)
	}
	if lines := strings.Count(text[:numbers[4]], "\n") + 1; lines != numbers[0] {
		t.Errorf("byte %d is in line %d, not %d", numbers[4], lines, numbers[0])
	}
	if lines := strings.Count(text[:numbers[5]], "\n") + 1; lines != numbers[2] {
		t.Errorf("byte %d is in line %d, not %d", numbers[5], lines, numbers[2])
	}
	first, _, _ := strings.Cut(text[numbers[4]:numbers[5]], "\n")
	return fmt.Sprintf("%d,%d %s", numbers[0], numbers[1], first)
}

// expectPlaces reads TEXT with and without places, and compares the places and the values.
func expectPlaces(t *testing.T, text string, want map[string]string) {
	t.Helper()
	value, diags := ask(t, &request{Text: text, Places: true})
	if len(diags) != 0 {
		t.Fatalf("%+v", diags)
	}
	got := map[string]string{}
	takePlaces(t, text, "", value, got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the places are\n%q\nand not\n%q", got, want)
	}
	plain, _ := ask(t, &request{Text: text})
	if !reflect.DeepEqual(value, plain) {
		t.Errorf("with places, the document became\n%v\nand without\n%v", value, plain)
	}
}

func TestPlacesOfATask(t *testing.T) {
	expectPlaces(t, `job "web" {
  type = "batch"
  meta { owner = "me" }
  group "g" {
    count = 1 + 1
    task "t" {
      driver = null
      kill_timeout = "5s"
      config {
        logging { driver = "json" }
      }
      template {
        data = <<EOT
a
EOT
      }
      template {}
    }
  }
}
`, map[string]string{
		"/Job":                                               `1,1 job "web"`,
		"/Job/Type":                                          `2,3 type = "batch"`,
		"/Job/Meta":                                          `3,3 meta`,
		"/Job/TaskGroups":                                    `4,3 group "g"`,
		"/Job/TaskGroups/0":                                  `4,3 group "g"`,
		"/Job/TaskGroups/0/Count":                            `5,5 count = 1 + 1`,
		"/Job/TaskGroups/0/Tasks":                            `6,5 task "t"`,
		"/Job/TaskGroups/0/Tasks/0":                          `6,5 task "t"`,
		"/Job/TaskGroups/0/Tasks/0/KillTimeout":              `8,7 kill_timeout = "5s"`,
		"/Job/TaskGroups/0/Tasks/0/Config":                   `9,7 config`,
		"/Job/TaskGroups/0/Tasks/0/Templates":                `12,7 template`,
		"/Job/TaskGroups/0/Tasks/0/Templates/0":              `12,7 template`,
		"/Job/TaskGroups/0/Tasks/0/Templates/1":              `17,7 template`,
		"/Job/TaskGroups/0/Tasks/0/Templates/0/EmbeddedTmpl": `13,9 data = <<EOT`,
	})
}

func TestPlacesOfDynamicBlocks(t *testing.T) {
	expectPlaces(t, `job "web" {
  meta = { a = 1 }
  dynamic "group" {
    for_each = ["x", "y"]
    labels   = [group.value]
    content {
      count = group.key
      network {}
    }
  }
}
`, map[string]string{
		"/Job":                         `1,1 job "web"`,
		"/Job/Meta":                    `2,3 meta = { a = 1 }`,
		"/Job/TaskGroups":              `3,3 dynamic "group"`,
		"/Job/TaskGroups/0":            `3,3 dynamic "group"`,
		"/Job/TaskGroups/1":            `3,3 dynamic "group"`,
		"/Job/TaskGroups/0/Count":      `7,7 count = group.key`,
		"/Job/TaskGroups/1/Count":      `7,7 count = group.key`,
		"/Job/TaskGroups/0/Networks":   `8,7 network`,
		"/Job/TaskGroups/1/Networks":   `8,7 network`,
		"/Job/TaskGroups/0/Networks/0": `8,7 network`,
		"/Job/TaskGroups/1/Networks/0": `8,7 network`,
	})
}

func TestAnEmptyKeyOfTheDocumentIsNoPlace(t *testing.T) {
	value, diags := ask(t, &request{Text: `job "web" { meta = { "" = "kept" } }`, Places: true})
	if len(diags) != 0 {
		t.Fatalf("%+v", diags)
	}
	expectJSON(t, value.(map[string]any)["Job"].(map[string]any)["Meta"], `{"": "kept"}`)
}

func TestPlacesAreLimited(t *testing.T) {
	text := `job "web" {
  dynamic "group" {
    for_each = range(100)
    labels   = [group.value]
    content {
      dynamic "task" {
        for_each = range(100)
        labels   = [task.value]
        content {
          driver = "exec"
        }
      }
    }
  }
}
`
	value, diags := ask(t, &request{Text: text, Places: true})
	if len(diags) != 0 {
		t.Fatalf("%+v", diags)
	}
	places := map[string]string{}
	takePlaces(t, text, "", value, places)
	// The place of the job stands in the job and in the document.
	if len(places) != maxPlaces-1 {
		t.Errorf("there are %d places", len(places))
	}
	if places["/Job/TaskGroups/0/Tasks/99/Driver"] == "" {
		t.Error("the first group has no place")
	}
}
