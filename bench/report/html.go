package report

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/pinion-ros/pinion/bench/suite"
)

// Apache ECharts draws the plots. It is part of the page, so that the page needs no network.
//
//go:embed assets/echarts.min.js
var echarts string

//go:embed assets/page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the report as a page of one file.
func HTML(out io.Writer, r *suite.Result) error {
	return page.Execute(out, struct {
		Title  string
		Result *suite.Result
		Charts []chart
		Tables []table
		Script template.JS
	}{title(r), r, plots(r), tables(r), template.JS(echarts)})
}

// IsText tells whether a column holds words.
func (t table) IsText(column int) bool { return column < t.Text }
